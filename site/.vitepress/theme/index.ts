import DefaultTheme from 'vitepress/theme'
import '../drawing/drawing.css'
import './contrast.css'

export default DefaultTheme
