import { build } from 'esbuild'
import type { Page } from 'playwright-core'
import { beforeEach, describe, expect, it } from 'vitest'
import * as z from 'zod'
import { describeFields } from '../../src/filter/index.ts'
import { chromium, needing } from '../programs.ts'
import { servePage } from './serve-page.ts'
import { violationsOf } from './violations.ts'
import { visit } from './visit.ts'

const Job = z.object({
  Status: z.enum(['running', 'dead']),
  Name: z.string(),
  Priority: z.int(),
  Live: z.boolean(),
  Started: z.iso.datetime(),
  Tags: z.array(z.string()),
})
const fields = JSON.stringify(describeFields(Job))

/** A page with the element, which notes its events. */
const page = async () => {
  const { outputFiles } = await build({
    entryPoints: ['src/filter/element/index.ts'],
    bundle: true,
    format: 'iife',
    write: false,
    target: 'es2022',
  })
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>Jobs</title>
<style>:root { color-scheme: light dark } body { background: Canvas; color: CanvasText }</style>
<main><h1>Jobs</h1>
<form id="form"><label for="box">Jobs to show</label>
<plinth-filter id="box" name="filter" builder></plinth-filter><button>Show</button><button type="reset">Reset</button></form>
<output id="out"></output></main>
<script>${outputFiles[0]?.text}</script>
<script>
  const box = document.querySelector('plinth-filter')
  box.fields = ${fields}
  globalThis.changes = []
  box.addEventListener('change', ({ detail }) => {
    changes.push({ text: detail.text, error: detail.error?.message ?? null, tests: detail.filter !== undefined })
  })
  globalThis.sent = []
  document.querySelector('form').addEventListener('submit', (event) => {
    event.preventDefault()
    sent.push(new FormData(event.target).get('filter'))
  })
</script>`
}

const [title, options] = needing('the filter element', chromium)

describe(title, options, () => {
  const site = visit(() => servePage(page))
  let tab: Page
  let faults: string[]

  beforeEach(async () => {
    ;({ page: tab, faults } = await site.open())
    await tab.goto(site.url)
    return async () => {
      expect(faults).toEqual([])
      await tab.close()
    }
  })

  const box = () => tab.getByRole('combobox', { name: 'Jobs to show' })
  const suggested = () => tab.getByRole('listbox').getByRole('option')
  const press = async (...keys: readonly string[]) => {
    for (const key of keys) await tab.keyboard.press(key)
  }
  const type = (text: string) => tab.keyboard.type(text)
  const textOf = () => tab.evaluate<string>('box.value')
  const lastChange = () => tab.evaluate('changes.at(-1)')
  const set = (text: string) => tab.evaluate(`box.value = ${JSON.stringify(text)}`)

  it('is written by keys alone: a field, an operator and a value are completed', async () => {
    await press('Tab')
    await type('Sta')
    expect(await suggested().allInnerTexts()).toEqual(['Status string', 'Started time'])
    expect(await box().getAttribute('aria-expanded')).toBe('true')
    await press('Enter')
    expect(await textOf()).toBe('Status ')
    await press('ArrowDown', 'Enter', 'ArrowDown')
    expect(await suggested().allInnerTexts()).toEqual(['"running"', '"dead"'])
    await press('ArrowDown', 'Enter')
    expect(await textOf()).toBe('Status == "dead"')
    expect(await box().getAttribute('aria-expanded')).toBe('false')
    expect(await lastChange()).toEqual({ text: 'Status == "dead"', error: null, tests: true })
    await press('Enter')
    expect(await tab.evaluate('sent')).toEqual(['Status == "dead"'])
  })

  it('names the active option to screen readers', async () => {
    await box().focus()
    await press('Control+Space')
    const active = await box().getAttribute('aria-activedescendant')
    expect(await tab.locator(`#${active}`).getAttribute('aria-selected')).toBe('true')
    expect(await tab.locator(`#${active}`).innerText()).toBe('Status string')
    await press('ArrowUp')
    expect(await tab.getByRole('option', { selected: true }).count()).toBe(1)
    await press('Escape')
    expect(await suggested().count()).toBe(0)
    expect(await box().getAttribute('aria-activedescendant')).toBeNull()
  })

  it('lets Tab leave with the text as it was typed', async () => {
    await box().focus()
    await type('Sta')
    await press('Tab')
    expect(await textOf()).toBe('Sta')
    expect(await suggested().count()).toBe(0)
    expect(await tab.getByRole('button', { name: 'Conditions' }).evaluate((it) => it.matches(':focus'))).toBe(
      true,
    )
  })

  it('takes an option by a click', async () => {
    await box().focus()
    await type('Pri')
    await suggested().first().click()
    expect(await textOf()).toBe('Priority ')
    expect(await box().evaluate((it) => it.matches(':focus'))).toBe(true)
  })

  it('underlines a mistake, and corrects it by a click or a key; each can be undone', async () => {
    await box().focus()
    await type('Stauts == "dead" and Priorty > 1 ')
    await press('Escape')
    expect(await tab.locator('mark').allInnerTexts()).toEqual(['Stauts', 'Priorty'])
    expect(await box().getAttribute('aria-invalid')).toBe('true')
    await tab.getByRole('button', { name: 'Use Status' }).click()
    expect(await textOf()).toBe('Status == "dead" and Priorty > 1 ')
    await press('F8')
    expect(
      await box().evaluate((it) => [(it as unknown as { selectionStart: number }).selectionStart]),
    ).toEqual([21])
    await press('Alt+Enter')
    expect(await textOf()).toBe('Status == "dead" and Priority > 1 ')
    expect(await tab.locator('mark').count()).toBe(0)
    expect(await box().getAttribute('aria-invalid')).toBeNull()
    await press('Control+z')
    expect(await textOf()).toBe('Status == "dead" and Priorty > 1 ')
  })

  it('keeps what is being clicked when the program gives the same fields again', async () => {
    await box().focus()
    await type('Stauts == "dead"')
    await tab.getByRole('button', { name: 'Use Status' }).hover()
    await tab.mouse.down()
    await tab.evaluate('box.fields = structuredClone(box.fields)')
    await tab.mouse.up()
    expect(await textOf()).toBe('Status == "dead"')
  })

  it('does not call unfinished text a mistake until it is left', async () => {
    await box().focus()
    await type('Status == ')
    expect(await tab.locator('mark').count()).toBe(0)
    expect(await lastChange()).toMatchObject({ tests: false })
    await press('Escape', 'Tab')
    expect(await tab.locator('mark').count()).toBe(1)
  })

  it('is a control of its form: value, validity, reset, a disabled fieldset', async () => {
    await set('Status == 5')
    expect(await tab.evaluate('[box.validity.customError, form.checkValidity()]')).toEqual([true, false])
    await tab.getByRole('button', { name: 'Show' }).click()
    expect(await tab.evaluate('sent')).toEqual([])
    await set('Priority == 5')
    await tab.getByRole('button', { name: 'Show' }).click()
    expect(await tab.evaluate('sent')).toEqual(['Priority == 5'])
    await tab.getByRole('button', { name: 'Reset' }).click()
    expect(await textOf()).toBe('')
    await tab.evaluate(`box.required = true`)
    expect(await tab.evaluate('box.validity.valueMissing')).toBe(true)
    await tab.evaluate(`(() => {
      const fieldset = document.createElement('fieldset')
      fieldset.disabled = true
      form.before(fieldset)
      fieldset.append(form)
    })()`)
    expect(await box().isDisabled()).toBe(true)
  })

  it('does not report what the program sets', async () => {
    await set('Priority == 5')
    expect(await tab.evaluate('changes')).toEqual([])
    expect(await tab.evaluate('box.detail.filter.test({ Priority: 5 })')).toBe(true)
  })

  it('takes fields and value as attributes, and what was set before it was defined', async () => {
    expect(
      await tab.evaluate(`(() => {
        const other = document.createElement('plinth-filter')
        other.setAttribute('fields', JSON.stringify(box.fields))
        other.setAttribute('value', 'Stauts == 1')
        return other.detail.error.suggestion
      })()`),
    ).toBe('Status')
    const early = await site.open()
    await early.page.setContent('<plinth-filter></plinth-filter>')
    await early.page.evaluate(
      `Object.assign(document.querySelector('plinth-filter'), { value: 'A == 1', fields: ${fields} })`,
    )
    const script = /<script>([\s\S]*?)<\/script>/.exec(await page())?.[1] ?? ''
    await early.page.addScriptTag({ content: script })
    expect(await early.page.evaluate(`document.querySelector('plinth-filter').detail.error.kind`)).toBe(
      'not-found',
    )
    await early.page.close()
  })

  it('writes a text of several lines in one, with the same meaning', async () => {
    await set('Priority == 1\nand (Live)')
    expect(await textOf()).toBe('Priority == 1 and (Live)')
    await set('Name == `a\nb` and Live is true')
    expect(await textOf()).toBe('Name == "a\\nb" and Live is true')
    expect(await box().inputValue()).toBe('Name == "a\\nb" and Live is true')
    await set('')
    await box().focus()
    await tab.evaluate(`(() => {
      const clipboardData = new DataTransfer()
      clipboardData.setData('text/plain', 'Priority == 1\\nand Live')
      const paste = new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true })
      box.shadowRoot.activeElement.dispatchEvent(paste)
    })()`)
    expect(await textOf()).toBe('Priority == 1 and Live')
  })

  describe('the rows', () => {
    const open = () => tab.getByRole('button', { name: 'Conditions' }).click()
    const part = (name: string) => tab.getByLabel(name, { exact: true })

    it('are written without typing an expression', async () => {
      await open()
      await tab.getByRole('button', { name: 'Add a condition' }).click()
      expect(await textOf()).toBe('Status == "running"')
      await part('Operator of condition 1').selectOption('is not')
      await part('Value of condition 1').selectOption('dead')
      expect(await textOf()).toBe('Status != "dead"')
      await tab.getByRole('button', { name: 'Add a condition' }).click()
      await part('Field of condition 2').selectOption('Priority')
      await part('Operator of condition 2').selectOption('is between')
      await part('Least value of condition 2').fill('5')
      await part('Greatest value of condition 2').fill('50')
      expect(await textOf()).toBe('Status != "dead" and Priority between 5 and 50')
      await part('How the conditions are joined').selectOption('any of these holds')
      expect(await textOf()).toBe('Status != "dead" or Priority between 5 and 50')
      expect(await lastChange()).toEqual({
        text: 'Status != "dead" or Priority between 5 and 50',
        error: null,
        tests: true,
      })
      await tab.getByRole('button', { name: 'Remove condition 1' }).click()
      expect(await textOf()).toBe('Priority between 5 and 50')
    })

    it('keep what was typed when another part of the row is changed', async () => {
      await open()
      await set('Name == ""')
      await part('Value of condition 1').fill('web "1"')
      expect(await textOf()).toBe('Name == "web \\x221\\x22"')
      await part('Operator of condition 1').selectOption('starts with')
      expect(await part('Value of condition 1').inputValue()).toBe('web "1"')
      await part('Operator of condition 1').selectOption('is one of')
      await tab.getByRole('button', { name: 'Add a value to condition 1' }).click()
      await tab.keyboard.type('db')
      expect(await textOf()).toBe('Name in ["web \\x221\\x22", "db"]')
    })

    it('are groups within groups, and show as text what they cannot edit', async () => {
      await open()
      await set('Live and not (Priority < 5 or any Tags as t { t == "x" })')
      expect(await part('Field of condition 2.1').inputValue()).toBe('Priority')
      await tab.getByText('any Tags as t { t == "x" }', { exact: true }).waitFor()
      await part('Value of condition 2.1').fill('7')
      expect(await textOf()).toBe('Live is true and not (Priority < 7 or (any Tags as t { t == "x" }))')
      await tab.getByRole('button', { name: 'Edit as text' }).click()
      expect(
        await tab.evaluate(`(() => {
        const input = box.shadowRoot.querySelector('input')
        return input.value.slice(input.selectionStart, input.selectionEnd)
      })()`),
      ).toBe('any Tags as t { t == "x" }')
      await tab.getByRole('button', { name: 'Add a group' }).last().click()
      expect(await textOf()).toContain('and (Status == "running" or Status == "running")')
    })

    it('follow the text, and wait while it cannot be read', async () => {
      await open()
      await box().fill('Priority > 5')
      expect(await part('Value of condition 1').inputValue()).toBe('5')
      await box().fill('Priority > ')
      expect(await part('Value of condition 1').isDisabled()).toBe(true)
      await tab.getByText('Correct the text to edit it as conditions.').waitFor()
      await box().fill('Priority > 6')
      expect(await part('Value of condition 1').inputValue()).toBe('6')
    })

    it('are used by keys alone', async () => {
      await box().focus()
      await press('Tab', 'Enter', 'Tab', 'Enter')
      expect(await textOf()).toBe('Status == "running"')
      await press('Tab', 'Tab', 'Tab', 'Enter')
      expect(await textOf()).toBe('')
      await press('Enter')
      expect(await textOf()).toBe('Status == "running"')
    })
  })

  it.each(['light', 'dark'] as const)(
    'has no violation of WCAG with all its parts open, %s',
    async (colorScheme) => {
      await tab.emulateMedia({ colorScheme })
      await tab.getByRole('button', { name: 'Conditions' }).click()
      await set('Live and (Stauts == "dead" or any Tags as t { t == "x" } or Priority in [1, 2])')
      await box().focus()
      await press('Control+Space')
      expect(await suggested().count()).toBeGreaterThan(0)
      expect(await violationsOf(tab, 'html', ['minor', 'moderate', 'serious', 'critical'])).toEqual([])
    },
  )

  it('fits a phone', async () => {
    await tab.setViewportSize({ width: 360, height: 700 })
    await tab.getByRole('button', { name: 'Conditions' }).click()
    await set('Live and (Status == "dead" or not (Priority in [1, 2, 3] or Name contains "x"))')
    expect(await tab.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(360)
  })
})
