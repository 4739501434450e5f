// The console: a page for operators over `/v1`. docs/console.md is its manual.
import './style/tokens.css'
import './style/base.css'
import './style/components.css'
import './style/layout.css'
import { render } from 'preact'
import { App } from './app.tsx'

render(<App />, document.getElementById('app')!)
