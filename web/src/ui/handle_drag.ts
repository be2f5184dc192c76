// A drag of a handle of the page, such as a divider: from press to release the handle follows the pointer; Esc and a
// cancelled pointer restore the value from before the press.
import { useRef } from 'preact/hooks';

export interface DraggedValue<Value> {
  get: () => Value;
  put: (value: Value) => void;
  /** Sets the value for the place of the pointer. */
  follow: (event: PointerEvent & { currentTarget: HTMLElement }) => void;
}

/** The listeners of the handle; `escape` returns whether the key has cancelled a drag. */
export function useHandleDrag<Value>({ get, put, follow }: DraggedValue<Value>) {
  const drag = useRef<{ start: Value } | undefined>(undefined);
  const cancel = () => {
    if (drag.current !== undefined) put(drag.current.start);
    drag.current = undefined;
  };
  const escape = (event: KeyboardEvent) => {
    if (event.key !== 'Escape' || drag.current === undefined) return false;
    event.preventDefault();
    event.stopPropagation();
    cancel();
    return true;
  };
  const listeners = {
    onPointerDown: (event: PointerEvent & { currentTarget: HTMLElement }) => {
      event.currentTarget.setPointerCapture(event.pointerId);
      drag.current = { start: get() };
    },
    onPointerMove: (event: PointerEvent & { currentTarget: HTMLElement }) => drag.current !== undefined && follow(event),
    onPointerUp: () => void (drag.current = undefined),
    onPointerCancel: cancel,
  };
  return { listeners, escape };
}
