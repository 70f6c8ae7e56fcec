import DefaultTheme from 'vitepress/theme'
import '../drawing/drawing.css'
import './accessible.css'
import './home.css'

export default DefaultTheme
