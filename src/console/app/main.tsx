import './style.css'
import { render } from 'preact'
import { LocationProvider } from 'preact-iso/router'
import { App } from './app.tsx'
import { basePath } from './data/base-path.ts'

const root = document.getElementById('app')
if (root)
  render(
    <LocationProvider scope={basePath || '/'}>
      <App />
    </LocationProvider>,
    root,
  )
