import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { longJob, shortJob } from '../../../src/cli/client/sample-jobs.ts'
import { JobSpec } from '../../../src/scheduler/index.ts'
import { parseJob } from '../../../src/scheduler/parse/index.ts'
import { given } from '../harness.ts'

const parsed = (text: string, variables?: string) => {
  const read = parseJob(text, variables)
  if (!read.ok) throw new Error(read.refusal.message)
  return read.value
}
/** The value of one expression, as a map of a job holds it. */
const evaluated = (expression: string, before = '', variables = '') => {
  const job = parsed(
    `${before}\njob "j" { group "g" { task "t" { config { x = ${expression} } } } }`,
    variables,
  )
  const { TaskGroups } = job as unknown as { TaskGroups: { Tasks: { Config: { x: unknown } }[] }[] }
  return TaskGroups[0]?.Tasks[0]?.Config.x
}

describe('an expression of a job file', () => {
  it.each([
    ['1 + 2 * 3', 7],
    ['(1 + 2) * 3', 9],
    ['!(2 > 1) || true', true],
    ['2 > 1 ? "yes" : "no"', 'yes'],
    ['[1, "a", true, null]', [1, 'a', true, null]],
    ['{ a = 1, "b" : [2] }', { a: 1, b: [2] }],
    ['{ a = { b = ["x", "y"] } }.a.b[1]', 'y'],
    ['"${1 + 1} apples"', '2 apples'],
    ['"$${not} %%{this}"', '${not} %{this}'],
    ['format("%s-%03d %q %.1f%%", "a", 7, "b", 1.25)', 'a-007 "b" 1.3%'],
    ['join(",", ["a", "b"], ["c"])', 'a,b,c'],
    ['split(",", "a,b")', ['a', 'b']],
    ['upper(lower("AbC"))', 'ABC'],
    ['trimspace("  a b ")', 'a b'],
    ['replace("a.b.c", ".", "-")', 'a-b-c'],
    ['regex_replace("web-12-x", "[0-9]+", "N")', 'web-N-x'],
    ['regex_replace("aaa", "^a", "b")', 'baa'],
    ['regex_replace("aaa", "a$", "b")', 'aab'],
    ['length(["a", "b"]) + length("añ") + length({ a = 1 })', 5],
    ['concat(["a"], ["b"], [])', ['a', 'b']],
    ['merge({ a = 1, b = 1 }, { b = 2 })', { a: 1, b: 2 }],
    ['lookup({ a = 1 }, "b", 9)', 9],
    ['keys({ b = 1, a = 2 })', ['a', 'b']],
    ['values({ b = 1, a = 2 })', [2, 1]],
    ['range(3)', [0, 1, 2]],
    ['range(1, 10, 4)', [1, 5, 9]],
    ['jsonencode({ a = [1, "x"] })', '{"a":[1,"x"]}'],
    ['jsondecode("{\\"a\\":[1]}").a', [1]],
    ['base64decode(base64encode("é"))', 'é'],
    ['contains(["a"], "a") && !contains([1], 2)', true],
    ['flatten([[1, [2]], 3])', [1, 2, 3]],
    ['element(["a", "b"], 3)', 'b'],
    ['substr("hello", 1, 3)', 'ell'],
    ['coalesce(null, "", "x")', 'x'],
    ['min(3, 1, 2) + max(1, 2)', 3],
    ['zipmap(["a", "b"], [1, 2])', { a: 1, b: 2 }],
    ['<<END\none ${upper("two")}\nEND\n', 'one TWO\n'],
    ['[for x in [1, 2, 3] : x * 2 if x > 1]', [4, 6]],
    ['[for at, x in ["a", "b"] : "${at}${x}"]', ['0a', '1b']],
    ['[for name, of in { b = 1, a = 2 } : "${name}=${of}"]', ['a=2', 'b=1']],
    ['[for x in [{ n = "a" }, { n = "b" }] : upper(x.n)]', ['A', 'B']],
    ['{ for x in ["a", "b"] : upper(x) => length(x) }', { A: 1, B: 1 }],
    ['{ for x in ["aa", "b", "cc"] : length(x) => x... }', { 1: ['b'], 2: ['aa', 'cc'] }],
    ['{ for = 1, in = 2 }', { for: 1, in: 2 }],
    ['[for x in [[1, 2], [3]] : [for y in x : y + 1]]', [[2, 3], [4]]],
    ['[{ a = 1 }, { a = 2 }][*].a', [1, 2]],
    ['[{ a = { b = [5] } }].*.a.b[0]', [5]],
    ['[{ a = [1, 2] }, { a = [3, 4] }][*].a[1]', [2, 4]],
    ['{ a = 1 }[*].a', [1]],
    ['"%{ if 1 > 2 }yes%{ else }no%{ endif }"', 'no'],
    ['"%{ for x in ["a", "b"] }<${x}>%{ endfor }"', '<a><b>'],
    ['"%{ for at, x in ["a", "b"] ~} ${at}:${x} %{~ endfor }"', '0:a1:b'],
    ['<<END\n%{ for x in [1, 2] ~}\nline ${x}\n%{ endfor ~}\nEND\n', 'line 1\nline 2\n'],
    ['"a ${~ "b" ~} c"', 'abc'],
    ['"%{ if true }${meta.a}%{ endif }"', '${meta.a}'],
  ])('%s is %j', (expression, value) => {
    expect(evaluated(expression)).toEqual(value)
  })

  it.each([
    '"${attr.kernel.name}"',
    '"${meta.owner} of ${node.unique.name}"',
    '"${NOMAD_PORT_http}/${env["HOME"]}"',
    '"${1:-default}"',
  ])('leaves what the node resolves: %s', (text) => {
    expect(evaluated(text)).toBe(text.slice(1, -1))
  })

  it('knows the variables and locals of its file, in any order', () => {
    const before = `
      locals {
        name  = "\${var.prefix}-\${local.kind}"
        kind  = "web"
        ports = [for_http, 2][1]
      }
      variable "prefix" {
        type    = string
        default = "dev"
      }`.replace('[for_http, 2][1]', '[1, 2][1]')
    expect(evaluated('"${local.name}:${local.ports}"', before)).toBe('dev-web:2')
    expect(evaluated('local.name', before, 'prefix = "prod"')).toBe('prod-web')
  })

  it.each([
    ['string', '7', '7'],
    ['number', '"7"', 7],
    ['bool', '"true"', true],
    ['list(string)', '"[\\"a\\"]"', ['a']],
    ['map(number)', '{ a = 1 }', { a: 1 }],
    ['any', '"x"', 'x'],
  ])('gives a variable of type %s the value %s', (type, value, expected) => {
    expect(evaluated('var.x', `variable "x" { type = ${type} }`, `x = ${value}`)).toEqual(expected)
  })

  it.each([
    ['7', '"8"', 8],
    ['false', '"true"', true],
    ['"1.4"', '1.5', '1.5'],
    ['[]', '"[\\"a\\"]"', ['a']],
    ['{}', '"{ a = 1 }"', { a: 1 }],
    ['null', '"8"', '8'],
  ])('takes the type of a variable from its default %s: %s', (usual, value, expected) => {
    expect(evaluated('var.x', `variable "x" { default = ${usual} }`, `x = ${value}`)).toEqual(expected)
  })

  it.each([
    ['variable "x" { type = number }', 'x = "many"', 'variables: line 1, column 1: variable "x" is a number'],
    ['variable "x" { type = list(string) }', 'x = "a"', 'variable "x" is a list(string)'],
    ['variable "x" { default = 1 }', 'x = "many"', 'variables: line 1, column 1: variable "x" is a number'],
    ['variable "x" { default = 1 }', 'y = 2', 'there is no variable "y"'],
    [
      'variable "x" {\n  default = 1\n  validation {\n    condition = var.x > 1\n    error_message = "too few"\n  }\n}',
      '',
      'line 3, column 3: variable "x": too few',
    ],
    [
      'variable "x" { type = number }\nvariable "y" { default = "many" }',
      'x = var.y',
      'variables: line 1, column 1: variable "x" is a number',
    ],
    [
      'variable "x" {}\nvariable "y" { default = none() }',
      'x = var.y',
      /^line 2, column 26: there is no function/,
    ],
    ['variable "x" {}\nlocals { y = none() }', 'x = local.y', /^line 2, column 14: there is no function/],
  ])('refuses values that do not fit: %s', (before, variables, why) => {
    expect(() => evaluated('1', before, variables)).toThrow(why)
  })

  it('does not fill the memory, however its values multiply', () => {
    const names = Array.from({ length: 60 }, (_, at) => at)
    const texts = names.map((at) => `a${at + 1} = "\${local.a${at}}\${local.a${at}}"`).join('\n')
    expect(() => evaluated('local.a60', `locals {\na0 = "xxxxxxxx"\n${texts}\n}`)).toThrow(
      'larger than 1000000',
    )
    const lists = names.map((at) => `a${at + 1} = [local.a${at}, local.a${at}]`).join('\n')
    expect(() => evaluated('jsonencode(local.a60)', `locals {\na0 = ["xxxxxxxx"]\n${lists}\n}`)).toThrow(
      'larger than',
    )
    const big = `locals { a = join("", [for_all]) }`.replace('[for_all]', `["${'x'.repeat(50_000)}"]`)
    expect(() => evaluated('replace(local.a, "", local.a)', big)).toThrow('too long')
  })

  it.each([
    ['base64encode', `a = "${'€'.repeat(60_000)}"`, 'base64encode(local.a) == ""', false],
    ['max', 'a = 1', `max(${'1,'.repeat(49_000)}2)`, 2],
  ])('takes long arguments: %s', (_, local, expression, value) => {
    expect(evaluated(expression, `locals {\n${local}\n}`)).toBe(value)
  })

  it.each([
    ['JSON', `a = jsondecode("${'['.repeat(40_000)}${']'.repeat(40_000)}")`, 'length(local.a)'],
    [
      'locals',
      `a0 = 1\n${Array.from({ length: 9000 }, (_, at) => `a${at + 1} = [local.a${at}]`).join('\n')}`,
      'length(local.a9000)',
    ],
    [
      'locals that are known already',
      `a0 = [1]\n${Array.from({ length: 9000 }, (_, at) => `a${at + 1} = [local.a${at}]`).join('\n')}`,
      `[${Array.from({ length: 9000 }, (_, at) => `length(local.a${at})`).join(',')}]`,
    ],
  ])('refuses values that are nested too deeply: %s', (_, locals, expression) => {
    expect(() => evaluated(expression, `locals {\n${locals}\n}`)).toThrow(
      /nested deeper than 100 levels|needs more than 100 others/,
    )
  })

  it('makes a block for each item of a dynamic one', () => {
    const job = parsed(`
      variable "ports" { default = { db = 5432, http = 80 } }
      job "j" { group "g" {
        network {
          dynamic "port" {
            for_each = var.ports
            labels   = [port.key]
            content { static = port.value }
          }
        }
        dynamic "task" {
          for_each = ["a", "b"]
          iterator = each
          labels   = ["\${each.value}-\${each.key}"]
          content {
            driver = "exec"
            dynamic "constraint" {
              for_each = [1]
              content { value = "\${each.value}\${constraint.value}\${node.class}" }
            }
          }
        }
      } }`) as unknown as {
      TaskGroups: {
        Networks: { ReservedPorts: object[] }[]
        Tasks: { Name: string; Driver: string; Constraints: object[] }[]
      }[]
    }
    const [group] = job.TaskGroups
    expect(group?.Networks[0]?.ReservedPorts).toEqual([
      { Label: 'db', Value: 5432 },
      { Label: 'http', Value: 80 },
    ])
    expect(group?.Tasks.map(({ Name }) => Name)).toEqual(['a-0', 'b-1'])
    expect(group?.Tasks[1]?.Constraints).toEqual([{ RTarget: 'b1${node.class}' }])
  })

  it.each([
    ['x = [for a in 1 : a]', '"for" needs a list or an object'],
    ['x = { for a in [1, 2] : "k" => a }', 'two items have the key "k"'],
    ['x = [for a in [1] : b]', 'there is no "b" here'],
    ['x = [for a in [1] a]', 'expected ":"'],
    ['x = "%{ if true }a"', 'there is no %{ endif }'],
    ['x = "%{ while }"', 'there is no %{ while }'],
    ['dynamic "a" { content {} }', 'needs for_each'],
    ['dynamic "a" { for_each = [1] }', 'needs a block content'],
    ['dynamic { for_each = [] }', 'has one label'],
  ])('refuses %s', (text, why) => {
    expect(() => parsed(`job "j" { group "g" { task "t" { config {\n${text}\n} } } }`)).toThrow(why)
  })

  it.each([
    ['loops', '[for x in range(10000) : [for y in range(10000) : 1 if false]]'],
    ['texts of loops', '"%{ for x in range(10000) }%{ for y in range(10000) }%{ endfor }%{ endfor }"'],
    ['splats', '[for x in range(10000) : [for y in range(10000) : y][*]]'],
  ])('does not go round without end: %s', (_, expression) => {
    expect(() => evaluated(expression)).toThrow('takes too much work')
  })
  it('refuses loops that are nested too deeply', () => {
    const nested = `${'[for x in [1] : '.repeat(200)}1${']'.repeat(200)}`
    expect(() => evaluated(nested)).toThrow('nested deeper than 100 levels')
    expect(() => evaluated(`[1]${'[*]'.repeat(200)}`)).toThrow('nested deeper than 100 levels')
  })

  it.each([
    ['calls', 'strlen(upper(local.a))'],
    ['comparisons', 'local.a == local.a'],
    ['texts', '"${local.a}!" != ""'],
    ['searches', 'regex_replace(local.b, ".*.*=.*c", "")'],
  ])('does not work without end: %s', (_, expression) => {
    const locals = `locals {\na = "${'x'.repeat(40_000)}"\nb = "${'x'.repeat(250)}"\n}`
    expect(evaluated(`[${expression}]`, locals)).toHaveLength(1)
    const many = `[${Array.from({ length: 1000 }, () => expression).join(',')}]`
    expect(() => evaluated(many, locals)).toThrow('have more than 10000000 characters together')
  })

  it('is refused or read, whatever its text: nothing else is thrown', () => {
    const piece = fc.constantFrom(
      '"',
      '${',
      '}',
      '(',
      ')',
      '[',
      ']',
      '{',
      'var.x',
      'upper',
      ',',
      '1',
      '+',
      '?',
      ':',
      '<<E\n',
      '\n',
      ' ',
      '.',
      '"a"',
      '%{',
      '%{ for a in ',
      '%{ endfor }',
      'for a in ',
      '=>',
      '[*]',
      '...',
      '~}',
      '\\',
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 20 }), (pieces) => {
        expect(parseJob(`job "j" { meta { x = ${pieces.join('')} } }`).ok).toBeTypeOf('boolean')
      }),
      { numRuns: 2000 },
    )
  })
})

describe('the jobs that plinth job init writes', () => {
  it.each([
    ['short', shortJob],
    ['long', longJob],
  ])('are jobs that can be registered: the %s one', async (_, text) => {
    const { send } = await given()
    const Job = JobSpec.parse(parsed(text))
    const written = await send('PUT', '/v1/jobs', { Job })
    expect([written.status, (written.json as { Warnings: string }).Warnings]).toEqual([200, ''])
  })
})
