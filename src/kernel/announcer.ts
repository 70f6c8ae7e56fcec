/**
 * Tells a listener what happened. What is stored is stored, whoever cannot hear of it: what the listener throws, or its
 * promise rejects with, goes to `onError`.
 */
export const announcer =
  <Event>(
    listener: ((event: Event) => unknown) | undefined,
    onError: (error: unknown) => void = () => {},
  ): ((event: Event) => void) =>
  (event) => {
    try {
      const told = listener?.(event)
      if (told instanceof Promise) told.catch(onError)
    } catch (error) {
      onError(error)
    }
  }
