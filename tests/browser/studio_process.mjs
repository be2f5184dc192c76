// A studio process: started, queried, killed.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { join } from 'node:path';

export class StudioProcess {
  /** Opens `what`, if given; unsaved work is kept below `root`, its files are in `files`. */
  constructor({ sinew, pageFolder, what, root, files = root }) {
    Object.assign(this, { sinew, pageFolder, what, root, files });
  }

  /** After a restart it uses the same port, which a connection of another program may occupy for a moment. */
  async start() {
    for (let tries = 50; ; --tries) {
      const answer = await this.launch();
      if (answer.port !== undefined) return Object.assign(this, answer);
      assert.ok(this.port !== undefined && tries > 0, `the studio did not start: ${JSON.stringify(answer)}`);
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  }

  /** The line that it prints when it serves: the address, or the error. */
  async launch() {
    const args = ['studio', ...(this.what === undefined ? [] : [this.what]), '--no-open', '--test-hooks', '--json', '--page', this.pageFolder];
    if (this.port !== undefined) args.push('--port', String(this.port));
    this.process = spawn(this.sinew, [...args, '--state', join(this.root, 'state'), '--root', this.files], { stdio: ['ignore', 'pipe', 'pipe'] });
    this.gone = new Promise((resolve) => this.process.once('exit', resolve));
    let log = '';
    this.process.stderr.on('data', (chunk) => (log += chunk));
    let text = '';
    for await (const chunk of this.process.stdout) {
      text += chunk;
      if (text.includes('}')) break;
    }
    assert.ok(text.includes('}'), `the studio did not start: ${log}`);
    const { address, port, token, ...fault } = JSON.parse(text);
    return port === undefined ? fault : { address, port, token };
  }

  /** Resolves with the exit code, or null if a signal ended it. */
  async kill(signal = 'SIGKILL') {
    this.process.kill(signal);
    return this.gone;
  }

  fetch(path) {
    return fetch(`http://127.0.0.1:${this.port}${path}`, { headers: { 'X-Sinew-Token': this.token } });
  }

  async state() {
    return (await this.fetch('/debug/state')).json();
  }
}
