'use strict'
// Makes CommonJS of an ES module in the form in which `scripts/build.mjs` writes it, and in no other. Lines stay where
// they were.
const importLine = /^import (?:(?:\* as ([\w$]+)|(\{[^}]*\})) from )?("[^"\n]+");/gm
const exportLine = /^export \{([^}]*)\};$/gm
const later =
  'const $later = async (name) => { const it = require(name); return it.__esModule ? it : { ...it, default: it } };'

module.exports = {
  process(text) {
    let [imports, getters] = ['', '']
    const lines = (statement) => statement.replace(/[^\n]/g, '')
    const body = text
      .replace(importLine, (statement, all, some, name) => {
        const names = all ?? some?.replaceAll(' as ', ': ').replaceAll('\n', '')
        // In front, as imports are hoisted.
        imports += `${names === undefined ? '' : `const ${names} = `}require(${name});`
        return lines(statement)
      })
      .replace(exportLine, (statement, list) => {
        for (const each of list
          .split(',')
          .map((entry) => entry.trim())
          .filter(Boolean)) {
          const [own, shown = own] = each.split(' as ')
          getters += `Object.defineProperty(exports, '${shown}', { enumerable: true, get: () => ${own} });`
        }
        return lines(statement)
      })
      .replace(/(?<![\w$.])import\(/g, () => '$later(')
      .replace(/(?<![\w$.])import\.meta\.url(?![\w$])/g, "require('node:url').pathToFileURL(__filename).href")
    const mark = "Object.defineProperty(exports, '__esModule', { value: true });"
    return { code: `"use strict";${mark}${getters}${later}${imports}${body}` }
  },
}
