// The studio as a person uses it: the shipped page in a real browser against the real server, by mouse and keys only.
//   node studio.mjs SINEW PAGE [PART OF A JOURNEY'S NAME]
import { runJourneys } from './harness.mjs';
import { handlesJourneys } from './journeys/handles.mjs';
import { poseJourneys } from './journeys/pose.mjs';
import { shellJourneys } from './journeys/shell.mjs';
import { sizeJourneys } from './journeys/size.mjs';
import { viewJourneys } from './journeys/view.mjs';
import { weightsJourneys } from './journeys/weights.mjs';

const failed = await runJourneys({ ...shellJourneys, ...poseJourneys, ...viewJourneys, ...weightsJourneys, ...handlesJourneys, ...sizeJourneys });
process.exit(failed > 0 ? 1 : 0);
