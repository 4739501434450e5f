// Writes the structure of a document: collections in block or flow style, keys simple or marked with `?`. Scalars, tags
// and document ends differ between libyaml and PyYAML's own emitter, which are the two subclasses.
import type { DumpNode } from './node.ts'
import { Writer } from './writer.ts'

export interface EmitterOptions {
  canonical: boolean
  indent: number
  width: number
  unicode: boolean
  lineBreak: string
  explicitStart: boolean
  explicitEnd: boolean
  version: readonly [major: number, minor: number] | undefined
  /** Tag handles and their prefixes. */
  tags: ReadonlyMap<string, string>
}

/** The parent of a node. */
export type EmitterContext = 'root' | 'sequence' | 'mapping' | 'simple-key'

export abstract class Emitter extends Writer {
  protected readonly options: EmitterOptions
  protected flowLevel = 0

  constructor(options: EmitterOptions) {
    super(options.lineBreak, options.width)
    this.options = options
  }

  abstract document(root: DumpNode): string
  protected abstract isSimpleKey(node: DumpNode): boolean
  protected abstract writeAlias(node: DumpNode, context: EmitterContext): void
  protected abstract writeScalar(node: DumpNode, context: EmitterContext): void
  protected abstract writeCollectionTag(node: DumpNode): void

  protected node(node: DumpNode, context: EmitterContext): void {
    if (node.written) {
      this.writeAlias(node, context)
      return
    }
    if (node.anchor !== undefined) node.written = true
    if (node.kind === 'scalar') {
      this.writeScalar(node, context)
      return
    }
    this.writeAnchor(node)
    this.writeCollectionTag(node)
    const flow = this.flowLevel > 0 || this.options.canonical || node.flow || node.items.length === 0
    if (node.kind === 'mapping') {
      if (flow) this.flowMapping(node)
      else this.blockMapping(node)
    } else if (flow) this.flowSequence(node)
    else this.blockSequence(node, context)
  }

  protected writeAnchor(node: DumpNode): void {
    if (node.anchor === undefined) return
    this.writeIndicator(`&${node.anchor}`, true)
    this.endContent()
  }

  /** The indentation one level down; the first level of block collections is at the margin. */
  protected deeper(flow: boolean, indentless = false): number {
    if (this.indent < 0) return flow ? this.options.indent : 0
    return indentless ? this.indent : this.indent + this.options.indent
  }

  private blockSequence(node: DumpNode, context: EmitterContext): void {
    const outer = this.indent
    const inMapping = context === 'mapping' || context === 'simple-key'
    this.indent = this.deeper(false, inMapping && !this.indention)
    for (const item of node.items) {
      this.writeIndent()
      this.writeIndicator('-', true, false, true)
      this.node(item, 'sequence')
    }
    this.indent = outer
  }

  private blockMapping(node: DumpNode): void {
    const outer = this.indent
    this.indent = this.deeper(false)
    for (let i = 0; i < node.items.length; i += 2) {
      const key = node.items[i]!
      this.writeIndent()
      if (this.isSimpleKey(key)) {
        this.node(key, 'simple-key')
        this.writeIndicator(':', false)
      } else {
        this.writeIndicator('?', true, false, true)
        this.node(key, 'mapping')
        this.writeIndent()
        this.writeIndicator(':', true, false, true)
      }
      this.node(node.items[i + 1]!, 'mapping')
    }
    this.indent = outer
  }

  private flowSequence(node: DumpNode): void {
    const outer = this.openFlow('[')
    node.items.forEach((item, i) => {
      this.separateFlow(i === 0)
      this.node(item, 'sequence')
    })
    this.closeFlow(']', outer, node.items.length > 0)
  }

  private flowMapping(node: DumpNode): void {
    const outer = this.openFlow('{')
    for (let i = 0; i < node.items.length; i += 2) {
      const key = node.items[i]!
      this.separateFlow(i === 0)
      if (!this.options.canonical && this.isSimpleKey(key)) {
        this.node(key, 'simple-key')
        this.writeIndicator(':', false)
      } else {
        this.writeIndicator('?', true)
        this.node(key, 'mapping')
        this.breakFlow()
        this.writeIndicator(':', true)
      }
      this.node(node.items[i + 1]!, 'mapping')
    }
    this.closeFlow('}', outer, node.items.length > 0)
  }

  private openFlow(bracket: string): number {
    this.writeIndicator(bracket, true, true)
    const outer = this.indent
    this.indent = this.deeper(true)
    this.flowLevel++
    return outer
  }

  private separateFlow(first: boolean): void {
    if (!first) this.writeIndicator(',', false)
    this.breakFlow()
  }

  private breakFlow(): void {
    if (this.options.canonical || this.column > this.width) this.writeIndent()
  }

  private closeFlow(bracket: string, outer: number, filled: boolean): void {
    this.flowLevel--
    this.indent = outer
    if (this.options.canonical && filled) {
      this.writeIndicator(',', false)
      this.writeIndent()
    }
    this.writeIndicator(bracket, false)
  }
}
