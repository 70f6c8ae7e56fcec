/** The settings of the console, from a `meta` element of the page. */
export const metaOf = (name: string): string | undefined =>
  document.querySelector<HTMLMetaElement>(`meta[name="plinth-${name}"]`)?.content
