/** A module as the registry lists it. */
export interface ModuleStub {
  readonly id: string
  readonly namespace: string
  readonly name: string
  readonly provider: string
  readonly version: string
  readonly description: string
  readonly published_at: string
  readonly downloads: number
  readonly verified: boolean
}

export interface Input {
  readonly name: string
  readonly type?: string
  readonly description: string
  readonly default: string
  readonly required?: boolean
}

export interface ModulePart {
  readonly path: string
  readonly readme: string
  readonly inputs: readonly Input[]
  readonly outputs: readonly { readonly name: string; readonly description: string }[]
  readonly dependencies: readonly {
    readonly name: string
    readonly source: string
    readonly version: string
  }[]
  readonly resources: readonly { readonly name: string; readonly type: string }[]
}

export interface ModuleDetail extends ModuleStub {
  readonly owner: string
  readonly source: string
  readonly root: ModulePart
  readonly submodules: readonly ModulePart[]
  readonly versions: readonly string[]
  readonly deprecation?: { readonly reason?: string } | null
}
