// The connection to the server: commands with replies, binary messages (live ones at most one per code in flight), blobs
// by name. Reconnects automatically.
import { encode, headerBytes, Reader, type Writer } from './codec';
import type { Answer, Args, CommandName } from './commands';
import type { ServerEvent } from './events';
import { newestKey, protocolVersion, readServerMessage, type ServerMessage } from './messages';

export class CommandFault extends Error {
  constructor(
    readonly code: string,
    text: string,
    readonly hint: string,
  ) {
    super(text);
  }
}

export type LinkState = 'connecting' | 'open' | 'reconnecting' | 'closed' | 'refused';

export interface Counters {
  sent: number;
  received: number;
  /** Live messages that were replaced by a newer one before they were sent. */
  coalesced: number;
  /** Largest number of live messages in flight at once. */
  mostInFlight: number;
  socketBytes: number;
}

interface Waiting {
  resolve: (result: unknown) => void;
  reject: (fault: unknown) => void;
}

/** Messages of one code of which only the newest counts. */
interface LiveSlot {
  inFlight: number | undefined;
  /** By key, the oldest first. */
  pending: Map<number, () => void>;
}

/** Events of the server, and two of the connection itself. */
export type StudioEvent = ServerEvent | ({ event: 'hello' } & Answer<'hello'>) | { event: 'refused'; text: string };

export class Connection {
  readonly counters: Counters = { sent: 0, received: 0, coalesced: 0, mostInFlight: 0, socketBytes: 0 };
  onState: (state: LinkState, attempt: number) => void = () => {};
  onMessage: (message: ServerMessage) => void = () => {};
  onEvent: (event: StudioEvent) => void = () => {};
  onRoundTrip: (milliseconds: number) => void = () => {};
  /** A message that could not be sent, or (`sent`) was in flight when the connection was lost. */
  onLost: (code: number, body: unknown, sent: boolean) => void = () => {};

  /** Gets what arrives before anyone else does; true: it keeps it. */
  divert: ((arrived: ServerMessage | StudioEvent) => boolean) | undefined;
  /** Called before anything is sent. */
  beforeSend: (() => void) | undefined;

  private socket: WebSocket | undefined;
  private seq = 0;
  private received = 0;
  private nextId = 1;
  private attempt = 0;
  private drags = 0;
  private fetching = 0;
  private greeted = false;
  private refused = false;
  private readonly waiting = new Map<number, Waiting>();
  private readonly live = new Map<number, LiveSlot>();
  private readonly sentAt = new Map<number, { at: number; code: number; body: unknown }>();
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(private token: string) {}

  get isOpen(): boolean {
    return this.socket?.readyState === WebSocket.OPEN && this.greeted;
  }

  /** Reconnects: with the token of a restarted studio, or to take over from another page. */
  renew(token = this.token): void {
    this.token = token;
    clearTimeout(this.timer);
    if (this.socket !== undefined) {
      this.socket.onclose = null;
      this.socket.onmessage = null;
      this.socket.onopen = null;
      this.socket.close();
    }
    this.forget();
    this.attempt = 0;
    this.refused = false;
    this.connect();
  }

  /** Sends hello once the socket is open; the reply arrives as the event 'hello'. */
  connect(): void {
    if (!this.refused) this.onState(this.attempt === 0 ? 'connecting' : 'reconnecting', this.attempt);
    const socket = new WebSocket(`ws://${location.host}/ws`);
    socket.binaryType = 'arraybuffer';
    this.socket = socket;
    let asked = false;
    socket.onopen = () => {
      asked = true;
      this.command('hello', { token: this.token, protocol: protocolVersion }).then(
        (result) => {
          this.attempt = 0;
          this.greeted = true;
          this.refused = false;
          this.onState('open', 0);
          this.onEvent({ event: 'hello', ...result });
        },
        (fault: unknown) => {
          if (!(fault instanceof CommandFault && fault.code === 'disconnected')) this.onEvent({ event: 'refused', text: String(fault) });
        },
      );
    };
    socket.onmessage = (message) => this.receive(message.data as string | ArrayBuffer);
    // The server closes the connection of a page with a wrong token without a reply.
    socket.onclose = () => this.lost(asked && !this.greeted);
  }

  private forget(): void {
    this.greeted = false;
    for (const one of this.waiting.values()) one.reject(new CommandFault('disconnected', 'Not connected to the studio.', ''));
    this.waiting.clear();
    this.live.clear();
    for (const { code, body } of this.sentAt.values()) this.onLost(code, body, true);
    this.sentAt.clear();
  }

  private lost(refused: boolean): void {
    this.forget();
    this.attempt += 1;
    this.refused = refused;
    this.onState(refused ? 'refused' : 'reconnecting', this.attempt);
    this.timer = setTimeout(() => this.connect(), Math.min(250 * 2 ** Math.min(this.attempt, 5), 5000));
  }

  private receive(data: string | ArrayBuffer): void {
    this.counters.received += 1;
    if (typeof data === 'string') {
      this.counters.socketBytes += data.length;
      this.receiveText(JSON.parse(data) as Record<string, unknown>);
      return;
    }
    this.counters.socketBytes += data.byteLength;
    const reader = new Reader(data);
    const header = reader.header();
    this.received = header.seq;
    this.acknowledge(header.ack);
    const message = readServerMessage(header.code, reader);
    if (message !== undefined && this.divert?.(message) !== true) this.onMessage(message);
  }

  private receiveText(json: Record<string, unknown>): void {
    if (typeof json.event === 'string') {
      const event = json as unknown as ServerEvent;
      if (this.divert?.(event) !== true) this.onEvent(event);
      return;
    }
    const one = this.waiting.get(json.id as number);
    if (one === undefined) return;
    this.waiting.delete(json.id as number);
    if (json.ok === true) one.resolve(json.result);
    else one.reject(new CommandFault(String(json.code), String(json.text), String(json.hint ?? '')));
  }

  /** Every binary reply carries the last message it answers; messages up to it are no longer in flight. */
  private acknowledge(ack: number): void {
    for (const [seq, { at }] of this.sentAt) {
      if (seq > ack) continue;
      this.onRoundTrip(performance.now() - at);
      this.sentAt.delete(seq);
    }
    for (const slot of this.live.values()) {
      if (slot.inFlight === undefined || slot.inFlight > ack) continue;
      slot.inFlight = undefined;
      const [next] = slot.pending;
      if (next === undefined) continue;
      slot.pending.delete(next[0]);
      next[1]();
    }
  }

  command<Name extends CommandName>(cmd: Name, ...[args = {}]: Args<Name>): Promise<Answer<Name>> {
    this.beforeSend?.();
    return new Promise<Answer<Name>>((resolve, reject) => {
      if (this.socket?.readyState !== WebSocket.OPEN) {
        reject(new CommandFault('disconnected', 'Not connected to the studio.', 'Wait until the page has reconnected.'));
        return;
      }
      const id = this.nextId++;
      this.waiting.set(id, { resolve: resolve as (result: unknown) => void, reject });
      this.counters.sent += 1;
      this.socket.send(JSON.stringify({ id, cmd, args }));
    });
  }

  /** A number that no drag of this page had. */
  nextDrag(): number {
    return ++this.drags;
  }

  /** In order and without loss. Of messages that a newer one may replace (newestKey), at most one per code is in flight. */
  send<M>(code: number, write: (w: Writer, m: M) => void, body: M): void {
    const key = newestKey(code, body);
    if (key === undefined) this.sendNow(code, write, body);
    else this.sendLive(code, key, () => this.sendNow(code, write, body));
  }

  /** Returns its sequence number, or 0 without a connection. */
  private sendNow<M>(code: number, write: (w: Writer, m: M) => void, body: M): number {
    this.beforeSend?.();
    if (this.socket?.readyState !== WebSocket.OPEN) {
      this.onLost(code, body, false);
      return 0;
    }
    const seq = ++this.seq;
    const bytes = encode(code, seq, this.received, write, body);
    this.counters.sent += 1;
    this.counters.socketBytes += bytes.byteLength - headerBytes;
    this.sentAt.set(seq, { at: performance.now(), code, body });
    this.socket.send(bytes);
    return seq;
  }

  /** A newer one replaces one of the same key that waits. */
  private sendLive(code: number, key: number, sendNow: () => number): void {
    let slot = this.live.get(code);
    if (slot === undefined) {
      slot = { inFlight: undefined, pending: new Map() };
      this.live.set(code, slot);
    }
    const mine = slot;
    const go = () => {
      mine.inFlight = sendNow() || undefined;
      const flying = [...this.live.values()].filter((one) => one.inFlight !== undefined).length;
      this.counters.mostInFlight = Math.max(this.counters.mostInFlight, flying);
    };
    if (mine.inFlight === undefined) {
      go();
    } else {
      if (mine.pending.has(key)) this.counters.coalesced += 1;
      mine.pending.set(key, go);
    }
  }

  /** Drops the waiting live message: the end of the gesture carries the final value. */
  dropPending(code: number): void {
    const slot = this.live.get(code);
    this.counters.coalesced += slot?.pending.size ?? 0;
    slot?.pending.clear();
  }

  get idle(): boolean {
    return this.fetching === 0 && this.waiting.size === 0 && this.sentAt.size === 0 && [...this.live.values()].every((one) => one.inFlight === undefined);
  }

  async blob(name: string): Promise<ArrayBuffer> {
    this.fetching += 1;
    try {
      const response = await fetch(`/blob/${name}`, { headers: { 'X-Sinew-Token': this.token } });
      if (!response.ok) throw new CommandFault('blob', `The studio no longer has the data ${name}.`, 'Reload the page.');
      return await response.arrayBuffer();
    } finally {
      this.fetching -= 1;
    }
  }

  async upload(name: string, file: Blob): Promise<string> {
    const response = await fetch(`/upload/${name.split('/').map(encodeURIComponent).join('/')}`, {
      method: 'POST',
      headers: { 'X-Sinew-Token': this.token },
      body: file,
    });
    if (!response.ok) throw new CommandFault('upload', await response.text(), '');
    return ((await response.json()) as { name: string }).name;
  }
}
