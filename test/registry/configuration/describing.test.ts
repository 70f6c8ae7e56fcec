import { describe, expect, it } from 'vitest'
import { describeModule } from '../../../src/registry/configuration/describe-module.ts'

const described = (files: Readonly<Record<string, string>>) => describeModule(new Map(Object.entries(files)))

/** In the shapes that published modules have. */
const network = {
  'README.md': '# Network\n\nMakes a network – with “subnets”.\n',
  'variables.tf': `
# Required.
variable "name" {
  description = "Name of the network: used in \\"tags\\""
  type        = string

  validation {
    condition     = can(regex("^[a-z]+\${1}}$", var.name))
    error_message = "Only letters, e.g. \${var.name}."
  }
}

variable "subnets" {
  description = <<-EOT
    Subnets by zone:

      - \`cidr\`: "10.0.0.0/24"
  EOT
  type = map(object({
    cidr   = string            # its addresses
    public = optional(bool, false)
    tags   = optional(map(string), {})
  }))
  default = {
    "eu-1a" = { cidr = "10.0.0.0/24", tags = { Zone = "ä" } }
    eu-1b = {
      cidr = "10.0.1.0/24"
    }
  }
}

variable "password" {
  type      = string
  default   = null
  sensitive = true
  nullable  = false
}

variable "legacy" { type = "list" }
variable "ttl" { default = 60 * 60 }
variable "any" {}
`,
  'outputs.tf': `
output "ids" {
  description = "Ids of the subnets"
  value       = { for k, s in aws_subnet.this : k => s.id if s.id != "}" }
}
output "password" {
  value     = var.password
  sensitive = true
}
`,
  'main.tf': `
terraform {
  required_version = ">= 1.3"

  required_providers {
    aws = {
      source                = "hashicorp/aws"
      version               = ">= 5.0"
      configuration_aliases = [aws.replica, aws.main]
    }
    random = "~> 3.1"
  }
}

provider "google" {
  version = "~> 4.0"
}

locals {
  all = merge(var.subnets, { for z in ["a", "b"] : z => {} })
}

resource "aws_vpc" "this" {
  provider = aws.main
  tags = merge({ Name = "\${var.name}-vpc" }, { for k, v in local.all : k => "\${v.cidr}" })
}

resource "aws_security_group" "this" {
  dynamic "ingress" {
    for_each = var.subnets
    iterator = each_rule
    content {
      cidr_blocks = [each_rule.value["cidr"]]
    }
  }
  lifecycle {
    ignore_changes = [tags["x"], ]
  }
}

data "aws_availability_zones" "available" {}
data "terraform_remote_state" "net" { backend = "s3" }
resource "helm_release" "x" { values = [<<-YAML
    a: \${jsonencode({ b = "}" })}
    YAML
  ] }

module "labels" {
  source  = "cloudposse/label/null"
  version = "0.25.0"
  for_each = toset(["a"])
}

module "nat" {
  source = "./modules/nat"
}
`,
  'modules/nat/main.tf.json': JSON.stringify({
    '//': 'written by a program',
    terraform: [{ required_version: '>= 1.0', required_providers: { aws: { source: 'hashicorp/aws' } } }],
    variable: {
      zone: { type: 'string', description: 'Its zone', default: { a: [1, 'x'] } },
      size: [{ type: 'number' }],
    },
    output: { id: { value: '${aws_nat_gateway.this.id}' } },
    resource: { aws_nat_gateway: { this: { allocation_id: '${x}' } } },
    data: { aws_region: { now: {} } },
    module: { more: { source: '../more' } },
  }),
  'modules/nat/readme.MD': 'NAT',
}

describe('what a module says about itself', () => {
  it('is its inputs as callers see them', async () => {
    const { root, warnings } = await described(network)
    expect(warnings).toEqual([])
    expect(root.inputs).toEqual([
      {
        name: 'name',
        type: 'string',
        description: 'Name of the network: used in "tags"',
        default: '',
        required: true,
      },
      {
        name: 'subnets',
        type: `map(object({
    cidr   = string            # its addresses
    public = optional(bool, false)
    tags   = optional(map(string), {})
  }))`,
        description: 'Subnets by zone:\n\n  - `cidr`: "10.0.0.0/24"\n',
        default: '{"eu-1a":{"cidr":"10.0.0.0/24","tags":{"Zone":"ä"}},"eu-1b":{"cidr":"10.0.1.0/24"}}',
        required: false,
      },
      {
        name: 'password',
        type: 'string',
        description: '',
        default: 'null',
        required: false,
        sensitive: true,
        nullable: false,
      },
      { name: 'legacy', type: 'list', description: '', default: '', required: true },
      { name: 'ttl', type: '', description: '', default: '3600', required: false },
      { name: 'any', type: '', description: '', default: '', required: true },
    ])
  })

  it('is its outputs, calls, resources and what it needs', async () => {
    const { root } = await described(network)
    expect(root).toMatchObject({
      path: '',
      empty: false,
      readme: network['README.md'],
      outputs: [
        { name: 'ids', description: 'Ids of the subnets' },
        { name: 'password', description: '', sensitive: true },
      ],
      dependencies: [
        { name: 'labels', source: 'cloudposse/label/null', version: '0.25.0' },
        { name: 'nat', source: './modules/nat', version: '' },
      ],
      resources: [
        { type: 'aws_vpc', name: 'this' },
        { type: 'aws_security_group', name: 'this' },
        { type: 'helm_release', name: 'x' },
      ],
      data_sources: [
        { type: 'aws_availability_zones', name: 'available' },
        { type: 'terraform_remote_state', name: 'net' },
      ],
      required_version: '>= 1.3',
      providers: [
        { name: 'aws', version: '>= 5.0', source: 'hashicorp/aws' },
        { name: 'google', version: '~> 4.0' },
        { name: 'helm', version: '' },
        { name: 'random', version: '~> 3.1' },
      ],
    })
  })

  it('may be said in JSON', async () => {
    const { submodules } = await described(network)
    expect(submodules).toEqual([
      {
        path: 'modules/nat',
        readme: 'NAT',
        empty: false,
        inputs: [
          {
            name: 'zone',
            type: 'string',
            description: 'Its zone',
            default: '{"a":[1,"x"]}',
            required: false,
          },
          { name: 'size', type: 'number', description: '', default: '', required: true },
        ],
        outputs: [{ name: 'id', description: '' }],
        dependencies: [{ name: 'more', source: '../more', version: '' }],
        resources: [{ name: 'this', type: 'aws_nat_gateway' }],
        data_sources: [{ name: 'now', type: 'aws_region' }],
        required_version: '>= 1.0',
        providers: [{ name: 'aws', version: '', source: 'hashicorp/aws' }],
      },
    ])
  })

  it('is changed by override files, whose names come first or not', async () => {
    const { root } = await described({
      'a_override.tf': 'variable "x" {\n  default = 2\n}\nmodule "m" {\n  source = "./other"\n}\n',
      'main.tf':
        'variable "x" {\n  type = number\n  description = "d"\n}\nmodule "m" {\n  source = "./m"\n}\n',
    })
    expect(root.inputs).toEqual([
      { name: 'x', type: 'number', description: 'd', default: '2', required: false },
    ])
    expect(root.dependencies).toEqual([{ name: 'm', source: './other', version: '' }])
  })

  it('includes what OpenTofu reads, and leaves out examples and tests', async () => {
    const { root, submodules } = await described({
      'main.tofu': 'variable "t" {}',
      'modules/a/main.tf': '',
      'modules/a/b/main.tf': '',
      'modules/a/examples/x/main.tf': '',
      'modules/a/tests/main.tf': '',
      'examples/x/main.tf': '',
    })
    expect(root.inputs).toMatchObject([{ name: 't' }])
    expect(submodules.map(({ path }) => path)).toEqual(['modules/a', 'modules/a/b'])
  })

  it('names a hundred mistakes, and how many more there are', async () => {
    const text = Array.from(
      { length: 2500 },
      (_, index) => `variable "v${index}" { default = var.x }\n`,
    ).join('')
    const { warnings } = await described({ 'main.tf': text })
    expect(warnings).toHaveLength(101)
    expect(warnings[99]).toBe('main.tf:100:28: the default of v99 is not a constant: shown as null')
    expect(warnings[100]).toBe('and 2400 more')
  })

  it('says where JSON is broken, and what is no object', async () => {
    const { warnings } = await described({
      'a.tf.json': '{\n  "variable": {"a": }\n}',
      'b.tf.json': '[1]',
      'c.tf.json': '{"variable": 5, "output": [null, {"x": {}}], "resource": {"a": []}}',
    })
    expect(warnings).toEqual([
      expect.stringMatching(/^a\.tf\.json:2:21: expected /),
      'b.tf.json:1:1: expected an object',
    ])
  })

  it.each([
    ['a default', (value: string) => `{"variable": {"a": {"default": ${value}}}}`],
    ['blocks', (value: string) => `{"variable": ${value}}`],
  ])('reads no JSON that is nested deeper than any that people write: %s', async (_, around) => {
    const nested = (depth: number) => around('['.repeat(depth) + ']'.repeat(depth))
    const brackets = JSON.stringify({ output: { o: { value: '"{['.repeat(200) } } })
    const read = await described({
      'a.tf.json': nested(90),
      'b.tf.json': nested(200_000),
      'c.tf.json': brackets,
    })
    expect(read.warnings).toEqual([
      expect.stringMatching(/^b\.tf\.json:1:\d+: nested deeper than 100 levels$/),
    ])
    expect(read.root.outputs).toHaveLength(1)
  })

  it('keeps a long README in part, and names that mean something to programs', async () => {
    const { root, warnings } = await described({
      'main.tf': 'variable "__proto__" {}\nvariable "constructor" { default = { __proto__ = 1 } }\n',
      'README.md': `${'x'.repeat(256 * 1024 - 1)}😀`,
    })
    expect(root.inputs?.map(({ name, default: value }) => [name, value])).toEqual([
      ['__proto__', ''],
      ['constructor', '{"__proto__":1}'],
    ])
    expect(root.readme).toHaveLength(256 * 1024 - 1)
    expect(warnings).toEqual([expect.stringMatching(/^README\.md: only its first/)])
  })
})
