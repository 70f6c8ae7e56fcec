/** A box as the catalog answers it. */
export interface Box {
  readonly tag: string
  readonly username: string
  readonly name: string
  readonly short_description: string | null
  readonly description_markdown: string | null
  readonly private: boolean
  readonly downloads: number
  readonly updated_at: string
  readonly current_version: BoxVersion | null
  readonly versions?: readonly BoxVersion[]
}

export interface BoxVersion {
  readonly version: string
  readonly status: string
  readonly description_markdown: string | null
  readonly updated_at: string
  readonly providers: readonly BoxProvider[]
}

export interface BoxProvider {
  readonly name: string
  readonly architecture: string
  readonly hosted: boolean
  readonly checksum: string | null
  readonly checksum_type: string | null
  readonly download_url: string
}
