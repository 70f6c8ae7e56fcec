import { signal } from '@preact/signals'
import { Choice } from './choice.tsx'

const themes = ['system', 'light', 'dark'] as const
type Theme = (typeof themes)[number]

const key = 'plinth-theme'

function kept(): Theme {
  try {
    return themes.find((each) => each === localStorage.getItem(key)) ?? 'system'
  } catch {
    return 'system'
  }
}

const theme = signal<Theme>(kept())

theme.subscribe((chosen) => {
  document.documentElement.style.colorScheme = chosen === 'system' ? '' : chosen
  try {
    if (chosen === 'system') localStorage.removeItem(key)
    else localStorage.setItem(key, chosen)
  } catch {
    // A browser that forbids storage keeps the theme until the page is closed.
  }
})

const themeName = (name: Theme): string => `${name.charAt(0).toUpperCase()}${name.slice(1)}`

/** The choice between light and dark colours. */
export const ThemeChoice = () => (
  <Choice label="Theme" value={theme} options={themes} nameOf={themeName} isLabelHidden />
)
