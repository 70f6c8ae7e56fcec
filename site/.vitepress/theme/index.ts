import DefaultTheme from 'vitepress/theme'
import '../drawing/drawing.css'

export default DefaultTheme
