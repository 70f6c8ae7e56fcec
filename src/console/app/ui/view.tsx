import type { ComponentChildren } from 'preact'
import { useEffect } from 'preact/hooks'

/** A view: its heading, which is the title of the page as well, the actions on what it shows, and its content. */
export function View({
  title,
  heading = title,
  actions,
  children,
}: {
  readonly title: string
  /** The heading, if it is more than the title. */
  readonly heading?: ComponentChildren
  readonly actions?: ComponentChildren
  readonly children: ComponentChildren
}) {
  useEffect(() => {
    document.title = `${title} · Plinth`
  }, [title])
  return (
    <section class="view">
      <div class="title">
        <h1>{heading}</h1>
        {actions && <span class="actions">{actions}</span>}
      </div>
      {children}
    </section>
  )
}
