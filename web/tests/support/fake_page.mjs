// As much of a document as preact needs to draw into: for tests that read what a component shows.

class FakeNode {
  constructor(name) {
    Object.assign(this, { localName: name, nodeName: name, childNodes: [], parentNode: null, attributes: [], listeners: new Map(), style: { setProperty: () => {} }, dataset: {} });
    this.nodeType = name === '#text' ? 3 : 1;
  }
  get firstChild() {
    return this.childNodes[0] ?? null;
  }
  get nextSibling() {
    const all = this.parentNode?.childNodes ?? [];
    return all[all.indexOf(this) + 1] ?? null;
  }
  insertBefore(node, before) {
    node.remove();
    const at = before == null ? this.childNodes.length : this.childNodes.indexOf(before);
    this.childNodes.splice(at, 0, node);
    node.parentNode = this;
    return node;
  }
  appendChild(node) {
    return this.insertBefore(node, null);
  }
  removeChild(node) {
    node.remove();
    return node;
  }
  remove() {
    const all = this.parentNode?.childNodes ?? [];
    if (all.includes(this)) all.splice(all.indexOf(this), 1);
    this.parentNode = null;
  }
  setAttribute(name, value) {
    this.removeAttribute(name);
    this.attributes.push({ name, value: String(value) });
  }
  removeAttribute(name) {
    this.attributes = this.attributes.filter((one) => one.name !== name);
  }
  getAttribute(name) {
    return this.attributes.find((one) => one.name === name)?.value ?? null;
  }
  addEventListener(type, listener) {
    this.listeners.set(type, listener);
  }
  removeEventListener(type) {
    this.listeners.delete(type);
  }
  dispatch(type) {
    this.listeners.get(type)?.call(this, { type, currentTarget: this, target: this });
  }
}

/** Puts a document in place and returns its body. */
export function makePage() {
  const make = (name) => new FakeNode(name);
  const text = (data) => Object.assign(make('#text'), { data });
  globalThis.document = { createElement: make, createElementNS: (_, name) => make(name), createTextNode: text, documentElement: make('html'), addEventListener: () => {}, querySelector: () => null };
  globalThis.window = { addEventListener: () => {}, removeEventListener: () => {} };
  return make('body');
}

export function findAll(node, matches) {
  return [...(matches(node) ? [node] : []), ...node.childNodes.flatMap((child) => findAll(child, matches))];
}

export const textOf = (node) => (node.nodeType === 3 ? String(node.data) : node.childNodes.map(textOf).join(''));
