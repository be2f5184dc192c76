// The layout of the page: header, outliner, viewport, inspector, dock, status bar.
import { effect, untracked } from '@preact/signals';
import { useEffect, useRef, useState } from 'preact/hooks';
import { connection, start } from '../client';
import { followRules } from '../gestures/joints';
import { installPoseHold } from '../gestures/pose_hold';
import { installStepEnds } from '../gestures/pose_joints';
import { followAngles } from '../gestures/shown_angles';
import { currentMode, mode } from '../modes/modes';
import { installNavigation } from '../render/navigation';
import { Stage } from '../render/stage';
import { document_, documentNumber, errorCard, framesPerSecond, gpuLost, isOpen, keepOfDocument, navigation, notice, panels, orthographic, restored, testHooks, theme } from '../store';
import { otherJoints } from '../gestures/joint_selection';
import { installHooks } from '../test_hooks';
import { installKeys, runKey, spaceIsFree } from './commands';
import { ContextMenu, installContextMenu } from './context_menu';
import { EmptyScreen } from './empty_screen';
import { drawsExamples } from './example_pictures';
import { BindDialog, OpenDialog, SaveAsDialog } from './file_dialogs';
import { dragOver, installDrop } from './files';
import { Header } from './header';
import { installLayout } from './layout';
import { dialog } from './modal';
import { Notices } from './notices';
import { installSamples } from './open_menu';
import { Palette, Shortcuts } from './palette';
import { Preferences } from './preferences';
import { installPictures } from './recents';
import { PanelScope } from './section';
import { installSettings, installTheme } from './settings';
import { Splitter } from './splitter';
import { StatusBar } from './status_bar';
import { Tooltip } from './tooltip';
import { Tour } from './tour';
import { ViewCube, ViewLabels } from './view_controls';
import { GridLabel } from './view_menu';
import { installViewSettings, materials } from './view_settings';

/** Shown if the browser lacks a required feature. */
function Unable({ reason }: { reason: string }) {
  return (
    <div class="card" role="alert">
      <p>The studio cannot draw in this browser: {reason}</p>
      <p class="muted">It needs WebGL 2 with floating-point render targets. Turn on hardware acceleration, or use a recent Chromium or Firefox.</p>
    </div>
  );
}

/** Frames per second during continuous drawing; hidden while nothing is drawn. */
function showFrameRate(): (milliseconds: number) => void {
  let last = 0;
  let idle = 0;
  return (milliseconds) => {
    const now = performance.now();
    const between = now - last;
    last = now;
    framesPerSecond.value = Math.min(60, 1000 / Math.max(between < 250 ? between : milliseconds, 1));
    window.clearTimeout(idle);
    idle = window.setTimeout(() => (framesPerSecond.value = undefined), 600);
  };
}

const noticeMilliseconds = 12000;

export function App() {
  const canvas = useRef<HTMLCanvasElement>(null);
  const [unable, setUnable] = useState('');

  useEffect(() => {
    if (canvas.current === null) return;
    let stage: Stage;
    try {
      stage = new Stage(canvas.current);
    } catch (fault) {
      setUnable(fault instanceof Error ? fault.message : String(fault));
      return;
    }
    stage.onFrameTime = showFrameRate();
    stage.onLost = (lost) => (gpuLost.value = lost);
    const stops = [
      installTheme(),
      installSettings(),
      installLayout(),
      installViewSettings(stage),
      // Before the modes: these gestures get presses first.
      installNavigation(stage, { habit: () => navigation.peek(), centres: () => isOpen.peek() && untracked(currentMode).ownsDoubleClick !== true }),
      installContextMenu(stage.canvas),
      installPoseHold(stage, { isFree: spaceIsFree, tap: () => runKey('Space') }),
      installStepEnds(),
      followRules(),
      followAngles(),
      keepOfDocument(),
      installKeys(),
      installDrop(),
      installSamples(),
      installPictures(stage),
      effect(() => stage.setOrthographic(orthographic.value)),
      effect(() => {
        stage.setBackground(theme.value === 'dark' ? '#14171c' : '#eef0f3');
      }),
      effect(() => {
        if (testHooks.value) installHooks(stage, connection, { otherJoints: () => otherJoints.value, reading: () => materials.value === 'reading' || drawsExamples() });
      }),
      effect(() => {
        // Close messages of the previous mode, except those that wait for an answer.
        void mode.value;
        if (errorCard.peek()?.actions === undefined) errorCard.value = undefined;
        notice.value = '';
      }),
      effect(() => {
        // Notices disappear after a while.
        if (notice.value === '') return undefined;
        const timer = window.setTimeout(() => (notice.value = ''), noticeMilliseconds);
        return () => window.clearTimeout(timer);
      }),
      effect(() => {
        // Example meshes are there to be learned from.
        void documentNumber.value;
        if (document_.peek()?.onlyExamples === true && document_.peek()?.reduced === undefined && !restored.peek()) mode.value = 'handles';
      }),
      effect(() => {
        const { enter } = currentMode();
        return untracked(() => enter?.(stage));
      }),
    ];
    start(stage);
    return () => stops.forEach((stop) => stop());
  }, []);

  const current = currentMode();
  const shown = panels.value;
  return (
    <PanelScope.Provider value={current.name}>
    <div class="studio">
      <Header />
      {shown.left && isOpen.value && (
        <aside class="left" aria-label="Outliner">
          <div class="scroll">
            <current.Outliner key={documentNumber.value} />
          </div>
          <Splitter panel="left" />
        </aside>
      )}
      <main class="viewport">
        <canvas ref={canvas} tabIndex={0} role="application" aria-roledescription="3D view of the character" aria-label="Viewport" />
        {isOpen.value && current.Overlay !== undefined && <current.Overlay />}
        {isOpen.value && <ViewLabels />}
        <GridLabel />
        {isOpen.value && <ViewCube />}
        <ContextMenu />
        {!isOpen.value && <EmptyScreen />}
        {dragOver.value && <div class="dropping">Drop files here</div>}
        <Notices />
        {unable !== '' && <Unable reason={unable} />}
      </main>
      {shown.dock && isOpen.value && current.Dock !== undefined && (
        <section class="dock" aria-label="Dock">
          <div class="scroll">
            <current.Dock key={documentNumber.value} />
          </div>
          <Splitter panel="dock" />
        </section>
      )}
      {shown.right && isOpen.value && (
        <aside class="right" aria-label="Inspector">
          <div class="scroll">
            <current.Inspector key={documentNumber.value} />
          </div>
          <Splitter panel="right" />
        </aside>
      )}
      <StatusBar />
      {dialog.value === 'palette' && <Palette />}
      {dialog.value === 'shortcuts' && <Shortcuts />}
      {dialog.value === 'open' && <OpenDialog />}
      {dialog.value === 'saveAs' && <SaveAsDialog />}
      {dialog.value === 'bind' && <BindDialog />}
      {dialog.value === 'preferences' && <Preferences />}
      <Tour />
      <Tooltip />
    </div>
    </PanelScope.Provider>
  );
}
