import type { Field } from '../../ui/form-fields.ts'
import type { Form, Kind } from './kind.ts'

/** The fields of the requests in `kinds`, which scripts/build-console.mjs takes from the OpenAPI documents. */
declare const requestFields: Readonly<Record<string, readonly Field[]>>

/** How the build names the fields of a form. */
export const formKey = ({ service, slug }: Kind, { method, path }: Form): string =>
  `${service} ${slug} ${method} ${path}`

/** The fields of a form, those that it names first. */
export function fieldsOf(
  kind: Kind,
  form: Form,
): { readonly fields: readonly Field[]; readonly more: readonly Field[] } {
  const all = requestFields[formKey(kind, form)] ?? []
  return {
    fields: all.slice(0, form.fields.length),
    more: all.slice(form.fields.length),
  }
}
