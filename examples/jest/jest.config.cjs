module.exports = { preset: 'plinth' }
