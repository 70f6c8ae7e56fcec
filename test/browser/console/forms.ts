import type { Page } from 'playwright-core'

/** Uses the buttons of a view, and the dialogs with forms that they open. */
export function formsOn(under: { readonly page: Page }) {
  const dialog = () => under.page.getByRole('dialog')
  return {
    dialog,
    press: (name: string | RegExp) =>
      under.page.locator('main').getByRole('button', { name }).first().click(),
    fill: async (fields: Readonly<Record<string, string>>) => {
      for (const [label, text] of Object.entries(fields))
        await dialog().getByLabel(label, { exact: true }).fill(text)
    },
    /** Presses the button of the form, which closes the dialog. */
    submitted: async () => {
      await dialog().getByRole('button').last().click()
      await dialog().waitFor({ state: 'hidden' })
    },
  }
}
