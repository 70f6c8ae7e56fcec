import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import { useLocation } from 'preact-iso/router'

/** The link that was followed from each view, by the view's URL. */
const followed = new Map<string, string>()

const here = (): string => location.pathname + location.search

/** The events with which a user takes the focus elsewhere. */
const userEvents = ['keydown', 'pointerdown', 'wheel'] as const

/**
 * Moves the focus with the view: into the new view after a link, and after Back to the link that was followed, as soon
 * as its row is there.
 */
export function useKeptFocus(): void {
  const { path, wasPush } = useLocation() as ReturnType<typeof useLocation> & { readonly wasPush: boolean }
  const isFirst = useRef(true)
  useEffect(() => {
    const onClick = (event: MouseEvent) => {
      const link = event.target instanceof Element ? event.target.closest('main a[href]') : null
      const href = link?.getAttribute('href')
      if (href) followed.set(here(), href)
    }
    // Before the router changes the URL.
    addEventListener('click', onClick, true)
    return () => removeEventListener('click', onClick, true)
  }, [])
  useLayoutEffect(() => {
    const main = document.getElementById('main')
    if (isFirst.current || !main) {
      isFirst.current = false
      return
    }
    main.focus({ preventScroll: !wasPush })
    if (wasPush) return
    const href = followed.get(here())
    if (href === undefined) return
    const seek = () => {
      const link = main.querySelector<HTMLElement>(`a[href="${CSS.escape(href)}"]`)
      if (!link) return
      stop()
      link.focus()
    }
    const watch = new MutationObserver(seek)
    const stop = () => {
      watch.disconnect()
      for (const each of userEvents) removeEventListener(each, stop)
    }
    watch.observe(main, { childList: true, subtree: true })
    for (const each of userEvents) addEventListener(each, stop)
    seek()
    return stop
  }, [path])
}
