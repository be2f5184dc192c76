// Rings, arrows or boxes on the picked joint: three's TransformControls on a stand-in whose parent is the joint's parent, so
// that what it changes are the joint's local numbers.
import { Matrix4, Object3D, Quaternion, Vector3, Vector4 } from 'three';
import { TransformControls } from 'three/addons/controls/TransformControls.js';
import type { Transform } from '../store';
import type { Overlay, Stage } from './stage';

export type GizmoTool = 'translate' | 'rotate' | 'scale';

export interface GizmoEvents {
  /** While it moves, and once at the end. */
  change: (local: Transform, live: boolean) => void;
  /** Everything back to where the gesture began. */
  cancel: (start: Transform) => void;
}

const snapDegrees = 5;

export class JointGizmo {
  readonly controls: TransformControls;
  private readonly parent = new Object3D();
  private readonly joint = new Object3D();
  private readonly overlay: Overlay;
  private readonly standIns: Overlay;
  private start: Transform | undefined;
  private moved = false;
  private view = 0;
  private readonly stops: (() => void)[] = [];

  constructor(
    private readonly stage: Stage,
    private readonly events: GizmoEvents,
  ) {
    this.parent.matrixAutoUpdate = false;
    this.parent.add(this.joint);
    this.standIns = { object: this.parent };
    stage.overlays.add(this.standIns);
    // Before the camera's listeners, so that a press on a ring does not turn the view too.
    this.listen('pointerdown', (event) => this.press(event as PointerEvent), true);
    this.listen('pointermove', (event) => this.snap(event as PointerEvent), true);
    this.controls = new TransformControls(stage.camera, stage.canvas);
    this.controls.space = 'local';
    this.controls.size = 0.85;
    this.controls.setColors('#ff5a52', '#5fbf3a', '#3d8bff', '#ffb000');
    this.overlay = { object: this.controls.getHelper(), view: 0 };
    this.controls.addEventListener('change', () => stage.draw());
    this.controls.addEventListener('objectChange', () => this.changed());
    this.controls.addEventListener('dragging-changed', (event) => this.dragging((event as unknown as { value: boolean }).value));
    this.listen('contextmenu', (event) => {
      if (this.start === undefined) return;
      event.preventDefault();
      this.cancel();
    });
    this.listen('pointercancel', () => this.cancel());
  }

  private listen(type: string, call: (event: Event) => void, capture = false): void {
    this.stage.canvas.addEventListener(type, call, { capture });
    this.stops.push(() => this.stage.canvas.removeEventListener(type, call, { capture }));
  }

  private local(): Transform {
    return {
      translation: this.joint.position.toArray(),
      rotation: this.joint.quaternion.toArray() as [number, number, number, number],
      scale: this.joint.scale.toArray(),
    };
  }

  get busy(): boolean {
    return this.start !== undefined;
  }

  /** Puts the gizmo on a joint of a view. While it is dragged, it knows better. */
  attach(view: number, parentMatrix: Matrix4, local: Transform, tool: GizmoTool): void {
    if (this.busy) return;
    this.view = view;
    this.overlay.view = view;
    this.standIns.view = view;
    this.parent.matrix.copy(parentMatrix);
    this.joint.position.fromArray(local.translation);
    this.joint.quaternion.fromArray(local.rotation);
    this.joint.scale.fromArray(local.scale);
    this.parent.updateMatrixWorld(true);
    this.controls.mode = tool;
    if (this.controls.object !== this.joint) this.controls.attach(this.joint);
    this.stage.overlays.add(this.overlay);
    this.stage.draw();
  }

  detach(): void {
    if (this.busy) this.cancel();
    this.controls.detach();
    this.stage.removeOverlay(this.overlay);
  }

  /** Pixels of the canvas and the camera, as the view of the gizmo has them. */
  private aim(): void {
    const r = this.stage.rectangle(this.view);
    this.controls.viewport = new Vector4(r.x, this.stage.size.height - r.y - r.height, r.width, r.height);
    this.stage.cameraOf(this.view);
    this.overlay.object.updateMatrixWorld(true);
  }

  /** What of it is at a place of the canvas: X, Y, Z, E, ... */
  partAt(x: number, y: number): string | undefined {
    this.aim();
    const r = this.stage.rectangle(this.view);
    const place = { x: (2 * (x - r.x)) / r.width - 1, y: 1 - (2 * (y - r.y)) / r.height, button: 0 };
    this.controls.pointerHover(place as unknown as PointerEvent);
    return this.controls.axis ?? undefined;
  }

  private press(event: PointerEvent): void {
    this.snap(event);
    if (this.controls.object === undefined || event.button !== 0 || event.altKey) {
      this.controls.enabled = false;
      return;
    }
    const box = this.stage.canvas.getBoundingClientRect();
    const inside = this.stage.viewAt(event.clientX - box.left, event.clientY - box.top) === this.view;
    this.controls.enabled = inside;
    if (!inside) return;
    this.partAt(event.clientX - box.left, event.clientY - box.top);
    if (this.controls.axis !== null) this.stage.controls.enabled = false;
  }

  private snap(event: PointerEvent): void {
    this.aim();
    if (!this.busy && event.type === 'pointermove') this.controls.enabled = this.controls.object !== undefined && event.buttons === 0;
    this.controls.rotationSnap = event.ctrlKey ? (snapDegrees * Math.PI) / 180 : null;
  }

  /** Whether a place of the canvas is on the gizmo, so that a press there picks nothing else. */
  get hovered(): boolean {
    return this.controls.axis !== null;
  }

  private dragging(on: boolean): void {
    if (on) {
      this.start = this.local();
      this.moved = false;
      return;
    }
    this.stage.controls.enabled = true;
    if (this.start === undefined) return;
    this.start = undefined;
    if (this.moved) this.events.change(this.local(), false);
  }

  private changed(): void {
    if (!this.busy) return;
    this.moved = true;
    this.events.change(this.local(), true);
  }

  cancel(): void {
    const start = this.start;
    if (start === undefined) return;
    this.start = undefined;
    this.joint.position.fromArray(start.translation);
    this.joint.quaternion.copy(new Quaternion(...start.rotation));
    this.joint.scale.copy(new Vector3(...start.scale));
    this.controls.dragging = false;
    this.controls.axis = null;
    this.stage.controls.enabled = true;
    this.events.cancel(start);
  }

  dispose(): void {
    this.detach();
    for (const stop of this.stops) stop();
    this.stage.removeOverlay(this.standIns);
    this.controls.dispose();
  }
}
