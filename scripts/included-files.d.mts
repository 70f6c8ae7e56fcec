/** A page of the site with the files that it includes as blocks of code. */
export function withIncludedFiles(page: string): string
