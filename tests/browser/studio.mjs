// The studio as a user sees it: the shipped page in a real browser against the real server, by mouse and keyboard only.
//   node studio.mjs SINEW PAGE [GROUP | PART OF A JOURNEY'S NAME]
import { only, runJourneys } from './harness.mjs';
import { correctJourneys } from './journeys/correct.mjs';
import { drawnJourneys } from './journeys/drawn.mjs';
import { exportJourneys } from './journeys/export.mjs';
import { fitJourneys } from './journeys/fit.mjs';
import { handlesJourneys } from './journeys/handles.mjs';
import { looksJourneys } from './journeys/looks.mjs';
import { pageJourneys } from './journeys/page.mjs';
import { poseJourneys } from './journeys/pose.mjs';
import { sheetJourneys, shellJourneys } from './journeys/shell.mjs';
import { sizeJourneys } from './journeys/size.mjs';
import { timelineJourneys } from './journeys/timeline.mjs';
import { viewJourneys } from './journeys/view.mjs';
import { wanderJourneys } from './journeys/wander.mjs';
import { weightsJourneys } from './journeys/weights.mjs';

const groups = {
  shell: shellJourneys,
  page: pageJourneys,
  pose: poseJourneys,
  timeline: timelineJourneys,
  view: viewJourneys,
  looks: looksJourneys,
  correct: correctJourneys,
  weights: weightsJourneys,
  drawn: drawnJourneys,
  fit: fitJourneys,
  handles: handlesJourneys,
  export: exportJourneys,
  size: sizeJourneys,
  sheets: sheetJourneys,
  wander: wanderJourneys,
};
if (only === 'sheets' && process.env.SINEW_CONTACT_SHEETS === undefined) {
  console.log('skipped: contact sheets are for eyes; set SINEW_CONTACT_SHEETS');
  process.exit(77);
}
if (only === 'wander' && process.env.SINEW_WANDER_SECONDS === undefined) {
  console.log('skipped: wandering takes minutes; set SINEW_WANDER_SECONDS');
  process.exit(77);
}
const journeys = groups[only] ?? Object.fromEntries(Object.values(groups).flatMap((group) => Object.entries(group).filter(([name]) => name.includes(only ?? ''))));
const failed = await runJourneys(journeys);
process.exit(failed > 0 ? 1 : 0);
