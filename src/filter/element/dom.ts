type Child = Node | string

/** Options of {@link create}: attributes, and listeners under `on` and the name of their event. */
interface Given {
  readonly [attribute: string]: string | boolean | undefined | ((event: Event) => void)
}

/** Creates an element. An attribute that is false or undefined is left out. */
export function create<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  given: Given = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[Name] {
  const made = document.createElement(name)
  for (const [key, value] of Object.entries(given)) {
    if (typeof value === 'function') made.addEventListener(key.slice('on'.length), value)
    else if (value !== undefined) made.toggleAttribute(key, value !== false)
    if (typeof value === 'string') made.setAttribute(key, value)
  }
  made.append(...children)
  return made
}

/** Sets an attribute, or removes it if there is no value. */
export function setAttribute(element: Element, name: string, value: string | undefined): void {
  if (value === undefined) element.removeAttribute(name)
  else element.setAttribute(name, value)
}
