// The view cube, which turns with the camera: its faces are buttons that set the view, and arrow keys move between them.
// Beside it, the names of the views.
import { useEffect, useRef } from 'preact/hooks';
import { Matrix4 } from 'three';
import { stage } from '../client';
import { activeView, besideShown, document_, orthographic, viewCount } from '../store';
import { ViewCorner } from './pose_menu';
import { ViewMenu } from './view_menu';

const half = Math.PI / 2;
export const sides = [
  { name: 'front', label: 'Front', face: 'none', from: [0, half] },
  { name: 'right', label: 'Right', face: 'rotateY(90deg)', from: [half, half] },
  { name: 'back', label: 'Back', face: 'rotateY(180deg)', from: [Math.PI, half] },
  { name: 'left', label: 'Left', face: 'rotateY(-90deg)', from: [-half, half] },
  { name: 'top', label: 'Top', face: 'rotateX(90deg)', from: [0, 0] },
  { name: 'bottom', label: 'Bottom', face: 'rotateX(-90deg)', from: [0, Math.PI] },
] as const;

export function lookFrom(name: (typeof sides)[number]['name']): void {
  const side = sides.find((one) => one.name === name);
  if (side !== undefined) stage?.moves.lookFrom(side.from[0], side.from[1]);
}

/** The rotation of the camera for CSS, where y points down. */
function cssTurn(worldFromCamera: Matrix4): string {
  const e = new Matrix4().extractRotation(worldFromCamera).transpose().elements;
  const signs = [1, -1, 1, 1];
  return `matrix3d(${e.map((value, i) => (signs[i % 4] * signs[Math.floor(i / 4)] * value).toFixed(5)).join(',')})`;
}

export function ViewCube() {
  const cube = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const follow = () => {
      if (stage !== undefined && cube.current !== null) cube.current.style.transform = cssTurn(stage.camera.matrixWorld);
    };
    stage?.beforeDraw.push(follow);
    stage?.draw();
    return () => {
      if (stage !== undefined) stage.beforeDraw = stage.beforeDraw.filter((one) => one !== follow);
    };
  }, []);
  const key = (event: KeyboardEvent) => {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const faces = [...(cube.current?.querySelectorAll('button') ?? [])];
    const at = faces.indexOf(document.activeElement as HTMLButtonElement);
    faces[(at + step + faces.length) % faces.length]?.focus();
  };
  return (
    <div class="view-cube" role="toolbar" aria-label="View directions">
      <div class="cube" ref={cube} onKeyDown={key}>
        {sides.map((side, i) => (
          <button
            key={side.name}
            tabIndex={i === 0 ? 0 : -1}
            aria-label={`View from the ${side.name}`}
            style={{ transform: `${side.face === 'none' ? '' : side.face} translateZ(26px)` }}
            onClick={() => stage?.moves.lookFrom(side.from[0], side.from[1])}
          >
            {side.label}
          </button>
        ))}
      </div>
      <button class="projection" aria-pressed={orthographic.value} title="Toggle orthographic view (O)" onClick={() => (orthographic.value = !orthographic.value)}>
        {orthographic.value ? 'Orthographic' : 'Perspective'}
      </button>
      <ViewMenu />
    </div>
  );
}

/** The name of each view, if several poses are shown. */
export function ViewLabels() {
  const count = viewCount.value;
  if (besideShown.value) return null;
  const posed = (document_.value?.joints.length ?? 0) > 0 && document_.value?.reduced === undefined;
  if (count < 2) return posed ? <ViewCorner view={0} named={false} /> : null;
  const rows = Math.ceil(count / 2);
  return (
    <div role="group" aria-label="Views">
      {Array.from({ length: count }, (_, view) => {
        const box = { left: `${50 * (view % 2)}%`, top: `${(100 / rows) * Math.floor(view / 2)}%`, width: '50%', height: `${100 / rows}%` };
        return (
          <div key={view} class={`view-frame${activeView.value === view ? ' active' : ''}`} style={box}>
            <ViewCorner view={view} named />
          </div>
        );
      })}
    </div>
  );
}
