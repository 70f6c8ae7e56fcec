import { Route, Router, useLocation } from 'preact-iso/router'
import { viewPath } from './data/base-path.ts'
import { services } from './data/services.ts'
import { Keyboard } from './ui/keyboard.tsx'
import { Navigation } from './ui/navigation.tsx'
import { Toasts } from './ui/toasts.tsx'
import { views } from './views/index.ts'

/** The frame of every view: navigation, the view of the path, messages. */
export function App() {
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
    </div>
  )
}

function NotFound() {
  const { path } = useLocation()
  return (
    <section class="view">
      <h1>Nothing here</h1>
      <p>
        No view is at <code>{path}</code>. <a href={viewPath('/')}>Go to the start.</a>
      </p>
    </section>
  )
}
