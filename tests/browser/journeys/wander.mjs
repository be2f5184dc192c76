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

/** More examples than this are removed again, so that learning stays short. */
const mostExamples = 4;

/** Possible next actions by name; each leaves the page with the character, ready for any other. */
function actionsOf(page, { random, between, oneOf }, character) {
  const canvas = () => page.locator('canvas').focus();
  const key = async (name) => {
    await canvas();
    await page.keyboard.press(name);
  };
  const enter = async (mode) => {
    await page.getByRole('tab', { name: mode }).click();
    await settled(page);
  };
  const button = (name) => page.getByRole('button', { name, exact: typeof name === 'string' });
  /** Clicks the first of them that is enabled; false if there is none. */
  const clicks = async (locator) => {
    const enabled = await locator.and(page.locator(':enabled')).all();
    if (enabled.length === 0) return false;
    await oneOf(enabled).click();
    await settled(page);
    return true;
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
  const examples = async () => (await look(page)).document.examples?.examples ?? [];
  const goTo = async (title) => {
    await page.getByLabel('Document', { exact: true }).selectOption({ label: title });
    await page.waitForFunction((name) => window.__studio.state().document?.title === name, title);
    await settled(page);
  };
  const sculpt = async () => {
    await enter('Correct');
    await clicks(page.getByRole('group', { name: 'Sculpting tool' }).getByRole('button'));
    await dragBy(page, await vertex(), between(-20, 20), between(-20, 20));
    await settled(page);
  };
  const saveExample = async () => {
    await sculpt();
    if ((await examples()).length >= mostExamples) await clicks(button(/^Remove /));
    await key('Enter');
  };
  return {
    turn: async () => {
      await enter('Pose');
      const joints = (await look(page)).document.joints.filter((joint) => joint.rule === undefined);
      await typeRotation(page, oneOf(joints).name, oneOf(['X', 'Y', 'Z']), Math.round(between(-120, 120)));
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
      await enter('Weights');
      await key('q');
      await settled(page);
      await dragBy(page, await vertex(), between(-60, 60), between(-60, 60));
    },
    paint: async () => {
      await enter('Weights');
      await key('e');
      await settled(page);
      await dragBy(page, await vertex(), between(-60, 60), between(-60, 60));
      await key('q');
    },
    box: async () => {
      await enter('Weights');
      await key('w');
      await settled(page);
      await dragBy(page, await vertex(), between(20, 90), between(20, 90));
      await key('q');
    },
    play: async () => {
      await enter('Pose');
      await key('p');
      await page.waitForTimeout(300);
      await key('p');
    },
    views: async () => {
      await enter('Pose');
      await button(oneOf(['1 pose', '2 poses side by side', '4 poses side by side'])).click();
    },
    sculpt,
    saveExample,
    goToExample: async () => {
      await enter('Correct');
      if (!(await clicks(button(/^Go to example /)))) return;
      await key(oneOf(['Shift+Comma', 'Shift+Period', 'Comma', 'Period']));
    },
    sideBySide: async () => {
      await enter('Correct');
      await button('Side by side').click();
      await settled(page);
      await button('Side by side').click();
    },
    fit: async () => {
      if ((await examples()).length === 0) await saveExample();
      await enter('Fit');
      await key('Enter');
      if (random() < 0.4) {
        await page.waitForTimeout(between(0, 200));
        await page.keyboard.press('Escape');
      }
      await settled(page);
      // Otherwise the preview stays, until a change drops it or the next result replaces it.
      if (random() < 0.8) await clicks(page.getByRole('button', { name: /^(Keep|Discard)$/ }));
    },
    handles: async () => {
      const model = `${character} model`;
      if ((await page.getByLabel('Document', { exact: true }).count()) === 0) {
        await enter('Handles');
        await button('Learn').click();
        await page.waitForFunction(() => window.__studio.state().document.reduced !== undefined, null, { timeout: 120000 });
        await settled(page);
      } else {
        await goTo(model);
        await enter('Handles');
      }
      const at = await vertex();
      await page.mouse.click(at.x, at.y);
      await settled(page);
      await dragBy(page, await vertex(), between(-30, 30), between(-30, 30));
      await settled(page);
      if (random() < 0.5) await key('k');
      await settled(page);
      // Handles do not become more and more.
      for (let left = (await look(page)).numbers.undo; left > 0; --left) await key('Control+z');
      await settled(page);
      await goTo(character);
    },
    exportFile: async () => {
      await enter('Export');
      await page.locator('[data-test=plan-deviation]').waitFor({ timeout: 120000 });
      await clicks(page.getByRole('group', { name: 'Presets' }).getByRole('button'));
      await page.locator('[data-test=plan-deviation]').waitFor({ timeout: 120000 });
      await button('Export…').click();
      await page.getByLabel('File name').fill('wander.glb');
      await page.getByLabel('File name').press('Enter');
      const dialog = page.getByRole('dialog', { name: 'Export to a file' });
      await Promise.race([dialog.waitFor({ state: 'detached' }), button('Replace it').click()]).catch(() => {});
      await dialog.waitFor({ state: 'detached' });
      await settled(page);
      // Nothing is settled while it plays.
      const play = button('Play');
      if ((await play.count()) === 0) return;
      await play.click();
      await page.waitForTimeout(200);
      await button('Stop').click();
    },
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
    const actions = actionsOf(page, dice, start.title);
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
    const left = Object.keys(actions).filter((name) => !done.includes(name));
    console.log(`        ${done.length} actions${left.length > 0 ? `, without ${left.join(', ')}` : ''}; MB of page/server: ${told}`);
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
