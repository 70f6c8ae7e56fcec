import type { Exchange } from './exchange.ts'

/**
 * What a browser is shown in place of the JSON of a route.
 */
export interface BrowserView<Context = unknown> {
  /** The path of the view in the console, to which browsers are redirected if there is one. */
  readonly path: (params: Readonly<Record<string, string>>) => string
  /** The contents of the page without a console, from the body of the answer. */
  content(body: string, context: Context, exchange: Exchange): ViewContent | Promise<ViewContent>
}

/**
 * The contents of a page: plain text, and what the owner wrote.
 */
export interface ViewContent {
  readonly title: string
  readonly about: string
  /** Text to copy. */
  readonly snippet: string
  /** What the owner wrote, as safe HTML: it is not escaped again. */
  readonly html: string
}
