/** The address of a page of the documentation, which is not in the package. */
export const page = (path: string): string =>
  `https://github.com/plinth-engines/plinth/blob/main/site/${path}.md`
