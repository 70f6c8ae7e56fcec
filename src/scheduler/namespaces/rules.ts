import type { Namespace, NamespaceSpec } from './model.ts'

/** The default namespace of requests and jobs; it exists in every cluster. */
export const defaultNamespace = 'default'

/** The default namespace before it is first written. */
export const bornNamespace: Namespace = Object.freeze({
  Name: defaultNamespace,
  Description: 'Default shared namespace',
  Quota: '',
  Meta: null,
  CreateIndex: 1,
  ModifyIndex: 1,
})

const namePattern = /^[a-zA-Z0-9-]{1,128}$/
const maxDescriptionBytes = 256

/**
 * All problems of a namespace's fields, in the order of the fields.
 */
export function namespaceProblems({ Name, Description, Quota }: NamespaceSpec): readonly string[] {
  const problems: string[] = []
  if (!namePattern.test(Name))
    problems.push(`invalid name ${JSON.stringify(Name)}. Must match regex ${namePattern.source}`)
  if (new TextEncoder().encode(Description).length > maxDescriptionBytes)
    problems.push(`description longer than ${maxDescriptionBytes}`)
  if (Quota !== '') problems.push('quotas are not supported: Quota must be empty')
  return problems
}
