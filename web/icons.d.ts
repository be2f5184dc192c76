// Single icons of Lucide: importing its index would make every build read all of them.
declare module 'lucide/dist/esm/icons/*.mjs' {
  const icon: [tag: string, attributes: Record<string, string | number | undefined>][];
  export default icon;
}
