import { Route, Router, useLocation } from 'preact-iso/router'
import { viewPath } from './data/base-path.ts'
import { services } from './data/services.ts'
import { Confirmation } from './ui/confirmation.tsx'
import { useKeptFocus } from './ui/kept-focus.ts'
import { Keyboard } from './ui/keyboard.tsx'
import { Navigation } from './ui/navigation.tsx'
import { Toasts } from './ui/toasts.tsx'
import { View } from './ui/view.tsx'
import { views } from './views/index.ts'

/** The frame of every view: navigation, the view of the path, messages. */
export function App() {
  useKeptFocus()
  return (
    <div class="frame">
      <a class="skip" href="#main">
        Skip to content
      </a>
      <Navigation />
      <main id="main" tabIndex={-1}>
        <Router>
          {views
            .filter(({ service }) => service === undefined || services.includes(service))
            .map(({ path, component }) => (
              <Route path={viewPath(path)} component={component} />
            ))}
          <Route default component={NotFound} />
        </Router>
      </main>
      <Toasts />
      <Keyboard />
      <Confirmation />
    </div>
  )
}

function NotFound() {
  const { path } = useLocation()
  return (
    <View title="Page not found">
      <p>
        This console has no page at <code>{path}</code>. <a href={viewPath('/')}>Go to the start page.</a>
      </p>
    </View>
  )
}
