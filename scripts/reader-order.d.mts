/** A page of the API in the order of its reader. */
export function inReaderOrder(page: string, index: string): string
