import DefaultTheme from 'vitepress/theme'
import '../drawing/drawing.css'
import './accessible.css'

export default DefaultTheme
