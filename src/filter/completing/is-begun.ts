/** Whether editors offer completions after a text without being asked: in a word, and after an operator. */
export const isBegun = (before: string): boolean => /[\w."=!<>@$]$|\w +$|[=<>] +$/.test(before)
