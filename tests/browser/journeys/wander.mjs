// Random valid actions for SINEW_WANDER_SECONDS: no console messages, constant memory, and undo restores the initial
// state.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { canvasBox, look, settled, typeRotation, visibleVertexNear } from '../harness.mjs';

const seconds = Number(process.env.SINEW_WANDER_SECONDS ?? 20);

function randomFrom(seed) {
  let state = seed >>> 0;
  const random = () => {
    state = (state * 1664525 + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
  return { random, between: (a, b) => a + (b - a) * random(), oneOf: (list) => list[Math.floor(random() * list.length)] };
}

async function dragBy(page, from, dx, dy, button = 'left') {
  await page.mouse.move(from.x, from.y);
  await page.mouse.down({ button });
  for (let i = 1; i <= 5; ++i) await page.mouse.move(from.x + (dx * i) / 5, from.y + (dy * i) / 5);
  await page.mouse.up({ button });
}

/** Possible next actions by name; each leaves the page ready for any other. */
function actionsOf(page, { random, between, oneOf }) {
  const canvas = () => page.locator('canvas').focus();
  const key = async (name) => {
    await canvas();
    await page.keyboard.press(name);
  };
  const corner = async () => {
    const box = await canvasBox(page);
    return { x: box.x + 40, y: box.y + box.height - 60 };
  };
  const vertex = async () => {
    const box = await canvasBox(page);
    const { document } = await look(page);
    const near = await visibleVertexNear(page, between(0.35, 0.65) * box.width, between(0.35, 0.65) * box.height, document.vertices);
    return { x: box.x + near.x, y: box.y + near.y };
  };
  return {
    turn: async () => {
      await key('1');
      const names = await page.getByRole('listbox', { name: 'Joints' }).getByRole('option').allInnerTexts();
      await typeRotation(page, oneOf(names).trim(), oneOf(['X', 'Y', 'Z']), Math.round(between(-120, 120)));
      await page.keyboard.press('Escape');
    },
    orbit: async () => dragBy(page, await corner(), between(-80, 80), between(-60, 60), oneOf(['left', 'middle'])),
    zoom: async () => {
      const at = await corner();
      await page.mouse.move(at.x, at.y);
      await page.mouse.wheel(0, between(-200, 200));
    },
    frame: () => key('a'),
    orthographic: () => key('o'),
    dragSkin: async () => {
      await key('2');
      await key('q');
      await settled(page);
      await dragBy(page, await vertex(), between(-60, 60), between(-60, 60));
    },
    paint: async () => {
      await key('2');
      await key('e');
      await settled(page);
      await dragBy(page, await vertex(), between(-60, 60), between(-60, 60));
      await key('q');
    },
    box: async () => {
      await key('2');
      await key('w');
      await settled(page);
      await dragBy(page, await vertex(), between(20, 90), between(20, 90));
      await key('q');
    },
    play: async () => {
      await key('1');
      await key('p');
      await page.waitForTimeout(300);
      await key('p');
    },
    views: async () => page.getByRole('button', { name: oneOf(['1 pose', '2 poses side by side', '4 poses side by side']), exact: true }).click(),
    undo: async () => {
      for (let i = random() * 4; i > 0; --i) await key('Control+z');
    },
    redo: async () => {
      for (let i = random() * 4; i > 0; --i) await key('Control+Shift+z');
    },
  };
}

export const wanderJourneys = {
  async 'wandering: random use keeps memory, the console and the document clean'({ open, context }) {
    const seed = Number(process.env.SINEW_WANDER_SEED ?? Date.now() % 1e6);
    const dice = randomFrom(seed);
    const { studio, page } = await open('sample:biped');
    const start = await studio.state();
    const actions = actionsOf(page, dice);
    const session = await context.newCDPSession(page);
    const memory = [];
    const done = [];
    const end = Date.now() + 1000 * seconds;
    try {
      while (Date.now() < end) {
        const name = dice.oneOf(Object.keys(actions));
        done.push(name);
        await actions[name]();
        await settled(page);
        assert.deepEqual(page.faults, []);
        if (done.length % 40 !== 0) continue;
        // Undoes everything, then measures the memory.
        await page.locator('canvas').focus();
        for (let left = (await look(page)).numbers.undo; left > 0; left = (await look(page)).numbers.undo) {
          for (let i = 0; i < left; ++i) await page.keyboard.press('Control+z');
          await settled(page);
        }
        const now = await studio.state();
        assert.equal(now.weightsName, start.weightsName, 'undo restores the weights');
        await session.send('HeapProfiler.collectGarbage');
        const { usedSize } = await session.send('Runtime.getHeapUsage');
        const resident = Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${studio.process.pid}/status`, 'utf8'))[1]);
        memory.push({ page: usedSize / 1e6, server: resident / 1e3 });
      }
    } catch (error) {
      error.message += `\nseed ${seed}, ${done.length} actions, the last: ${done.slice(-6).join(', ')}`;
      throw error;
    }
    const told = memory.map((one) => `${one.page.toFixed(1)}/${one.server.toFixed(0)}`).join(' ');
    console.log(`        ${done.length} actions; MB of page/server: ${told}`);
    assert.ok(done.length > seconds / 10, `${done.length} actions in ${seconds} s`);
    if (memory.length < 6) return;
    // Caches fill initially, so the last third is compared with the second.
    const third = Math.floor(memory.length / 3);
    for (const who of ['page', 'server']) {
      const middle = (list) => list.map((one) => one[who]).sort((a, b) => a - b)[list.length >> 1];
      const [before, after] = [middle(memory.slice(-2 * third, -third)), middle(memory.slice(-third))];
      assert.ok(after < 1.05 * before, `memory of the ${who}: ${before} MB became ${after} MB`);
    }
  },
};
