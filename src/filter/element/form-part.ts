/** What an element knows of its form, and tells it. */
export type FormPart = Pick<
  ElementInternals,
  | 'form'
  | 'setFormValue'
  | 'setValidity'
  | 'validity'
  | 'validationMessage'
  | 'willValidate'
  | 'checkValidity'
  | 'reportValidity'
> & { readonly labels: Iterable<Node> }

/**
 * The element as a control of its form. jsdom and happy-dom have no such controls: there its text box stands for it, whose
 * text no form sends, and which no label names.
 */
export function formPartOf(element: HTMLElement, input: HTMLInputElement): FormPart {
  const internals = element.attachInternals?.()
  if (internals?.setFormValue !== undefined) return internals
  return {
    get form() {
      return element.closest('form')
    },
    get validity() {
      return input.validity
    },
    get validationMessage() {
      return input.validationMessage
    },
    labels: [],
    willValidate: true,
    setFormValue: () => undefined,
    setValidity: (_flags, message = '') => input.setCustomValidity(message),
    checkValidity: () => input.checkValidity(),
    reportValidity: () => input.reportValidity(),
  }
}
