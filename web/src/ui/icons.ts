// The icons of the page, from Lucide (docs/decisions/0040-icons-from-lucide.md). Only those listed here are bundled.
import arrowDown from 'lucide/dist/esm/icons/arrow-down.mjs';
import arrowUp from 'lucide/dist/esm/icons/arrow-up.mjs';
import swap from 'lucide/dist/esm/icons/arrow-left-right.mjs';
import bone from 'lucide/dist/esm/icons/bone.mjs';
import chevronDown from 'lucide/dist/esm/icons/chevron-down.mjs';
import chevronRight from 'lucide/dist/esm/icons/chevron-right.mjs';
import help from 'lucide/dist/esm/icons/circle-question-mark.mjs';
import clock from 'lucide/dist/esm/icons/clock.mjs';
import correct from 'lucide/dist/esm/icons/blend.mjs';
import key from 'lucide/dist/esm/icons/diamond-plus.mjs';
import file from 'lucide/dist/esm/icons/file.mjs';
import globe from 'lucide/dist/esm/icons/globe.mjs';
import folder from 'lucide/dist/esm/icons/folder.mjs';
import folderOpen from 'lucide/dist/esm/icons/folder-open.mjs';
import folderUp from 'lucide/dist/esm/icons/folder-up.mjs';
import tour from 'lucide/dist/esm/icons/graduation-cap.mjs';
import drag from 'lucide/dist/esm/icons/hand.mjs';
import history from 'lucide/dist/esm/icons/list-restart.mjs';
import info from 'lucide/dist/esm/icons/info.mjs';
import keyboard from 'lucide/dist/esm/icons/keyboard.mjs';
import lasso from 'lucide/dist/esm/icons/lasso.mjs';
import lock from 'lucide/dist/esm/icons/lock.mjs';
import lockOpen from 'lucide/dist/esm/icons/lock-open.mjs';
import dark from 'lucide/dist/esm/icons/moon.mjs';
import select from 'lucide/dist/esm/icons/mouse-pointer-2.mjs';
import move from 'lucide/dist/esm/icons/move-3d.mjs';
import exported from 'lucide/dist/esm/icons/package-check.mjs';
import brush from 'lucide/dist/esm/icons/paintbrush.mjs';
import panelBottom from 'lucide/dist/esm/icons/panel-bottom.mjs';
import panelLeft from 'lucide/dist/esm/icons/panel-left.mjs';
import panelRight from 'lucide/dist/esm/icons/panel-right.mjs';
import pause from 'lucide/dist/esm/icons/pause.mjs';
import rename from 'lucide/dist/esm/icons/pencil.mjs';
import pin from 'lucide/dist/esm/icons/pin.mjs';
import pinOff from 'lucide/dist/esm/icons/pin-off.mjs';
import play from 'lucide/dist/esm/icons/play.mjs';
import pose from 'lucide/dist/esm/icons/person-standing.mjs';
import redo from 'lucide/dist/esm/icons/redo-2.mjs';
import loop from 'lucide/dist/esm/icons/repeat.mjs';
import rotate from 'lucide/dist/esm/icons/rotate-3d.mjs';
import reset from 'lucide/dist/esm/icons/rotate-ccw.mjs';
import save from 'lucide/dist/esm/icons/save.mjs';
import scale from 'lucide/dist/esm/icons/scale-3d.mjs';
import search from 'lucide/dist/esm/icons/search.mjs';
import settings from 'lucide/dist/esm/icons/settings.mjs';
import box from 'lucide/dist/esm/icons/square-dashed.mjs';
import nextKey from 'lucide/dist/esm/icons/step-forward.mjs';
import previousKey from 'lucide/dist/esm/icons/step-back.mjs';
import light from 'lucide/dist/esm/icons/sun.mjs';
import fit from 'lucide/dist/esm/icons/target.mjs';
import trash from 'lucide/dist/esm/icons/trash.mjs';
import undo from 'lucide/dist/esm/icons/undo-2.mjs';
import upload from 'lucide/dist/esm/icons/upload.mjs';
import handles from 'lucide/dist/esm/icons/waypoints.mjs';
import weight from 'lucide/dist/esm/icons/weight.mjs';
import close from 'lucide/dist/esm/icons/x.mjs';

export const icons = {
  arrowDown, arrowUp, bone, box, brush, chevronDown, chevronRight, clock, close, correct, dark, drag, exported, file, fit, folder,
  folderOpen, folderUp, globe, handles, help, history, info, key, keyboard, lasso, light, lock, lockOpen, loop,
  move, nextKey, panelBottom, panelLeft, panelRight, pause, pin, pinOff, play, pose, previousKey, redo, rename, reset, rotate, save,
  scale, search, select, settings, swap, tour, trash, undo, upload, weight,
};

export type IconName = keyof typeof icons;
