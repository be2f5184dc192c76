// The fixed grid of the studio: header, outliner, viewport, inspector, dock, status.
import { effect } from '@preact/signals';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Vector3 } from 'three';
import { connection, start } from '../client';
import { modes } from '../modes/modes';
import { Stage } from '../render/stage';
import { document_, gpuLost, isOpen, mode, numbers, panels, testHooks, theme } from '../store';
import { installHooks } from '../test_hooks';
import { installKeys } from './commands';
import { dialog } from './dialogs';
import { EmptyScreen } from './empty_screen';
import { BindDialog, OpenDialog, SaveDialog } from './file_dialogs';
import { dragOver, installDrop } from './files';
import { Header } from './header';
import { installLayout } from './layout';
import { Notices } from './notices';
import { Palette, Shortcuts } from './palette';
import { StatusBar } from './status_bar';
import { installTheme } from './theme';
import { ViewLabels } from './view_labels';

/** A sentence where the browser cannot do what the studio needs. */
function Unable({ reason }: { reason: string }) {
  return (
    <div class="card" role="alert">
      <p>The studio cannot draw in this browser: {reason}</p>
      <p class="muted">It needs WebGL 2 with floating-point render targets. Turn on hardware acceleration, or use a recent Chromium or Firefox.</p>
    </div>
  );
}

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
    stage.onFrameTime = (milliseconds) => {
      numbers.value = { ...numbers.value, framesPerSecond: Math.min(60, 1000 / Math.max(milliseconds, 1)) };
    };
    // Narrower views show the whole character too.
    let views = stage.views;
    stage.beforeDraw.push(() => {
      if (stage.views === views) return;
      views = stage.views;
      stage.cameraOf(0);
      stage.framePoint(new Vector3(), 0.51 * (document_.peek()?.diagonal ?? 1));
    });
    stage.onLost = (lost) => (gpuLost.value = lost);
    const stops = [
      installTheme(),
      installLayout(),
      installKeys(),
      installDrop(),
      effect(() => {
        stage.setBackground(theme.value === 'dark' ? '#14171c' : '#eef0f3');
      }),
      effect(() => {
        if (testHooks.value) installHooks(stage, connection);
      }),
      effect(() => {
        const current = modes.find((one) => one.name === mode.value);
        return current?.enter?.(stage);
      }),
    ];
    start(stage);
    return () => stops.forEach((stop) => stop());
  }, []);

  const current = modes.find((one) => one.name === mode.value) ?? modes[0];
  const shown = panels.value;
  return (
    <div class="studio">
      <Header />
      {shown.left && isOpen.value && (
        <aside class="left" aria-label="Outliner">
          <current.Outliner />
        </aside>
      )}
      <main class="viewport">
        <canvas ref={canvas} tabIndex={0} role="application" aria-roledescription="3D view of the character" aria-label="Viewport" />
        {isOpen.value && current.Overlay !== undefined && <current.Overlay />}
        {isOpen.value && <ViewLabels />}
        {!isOpen.value && <EmptyScreen />}
        {dragOver.value && <div class="dropping">Drop it here</div>}
        <Notices />
        {unable !== '' && <Unable reason={unable} />}
      </main>
      {shown.dock && isOpen.value && current.Dock !== undefined && (
        <section class="dock" aria-label="Dock">
          <current.Dock />
        </section>
      )}
      {shown.right && isOpen.value && (
        <aside class="right" aria-label="Inspector">
          <current.Inspector />
        </aside>
      )}
      <StatusBar />
      {dialog.value === 'palette' && <Palette />}
      {dialog.value === 'shortcuts' && <Shortcuts />}
      {dialog.value === 'open' && <OpenDialog />}
      {dialog.value === 'saveAs' && <SaveDialog />}
      {dialog.value === 'bind' && <BindDialog />}
    </div>
  );
}
