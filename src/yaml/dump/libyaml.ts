// Writes documents like libyaml's emitter, which Salt's dumper classes use.
import { YamlError } from '../errors.ts'
import { resolvePlain } from '../resolve.ts'
import { MAP, SEQ, STR, YAML_PREFIX } from '../tags.ts'
import { type Analysis, analyzeScalar, LIBYAML } from './analyze.ts'
import { Emitter, type EmitterContext } from './emitter.ts'
import { writeDoubleQuoted, writeFolded, writeLiteral, writePlain, writeSingleQuoted } from './libyaml-scalars.ts'
import type { DumpNode, ScalarStyle } from './node.ts'
import { escapeTag } from './tag-text.ts'

/** Longer keys, in bytes, are marked with `?`. */
const LONGEST_SIMPLE_KEY = 128

interface TagText {
  handle: string
  suffix: string
}

export class LibyamlEmitter extends Emitter {
  private readonly prefixes = new Map<string, string>()
  /** A block scalar that keeps its trailing breaks must be ended by a mark if nothing follows. */
  private openEnded = false

  document(root: DumpNode): string {
    this.writeStart()
    this.node(root, 'root')
    this.writeIndent()
    if (this.options.explicitEnd) {
      this.writeIndicator('...', true)
      this.openEnded = false
      this.writeIndent()
    }
    if (this.openEnded) {
      this.writeIndicator('...', true)
      this.writeIndent()
    }
    return this.text
  }

  private writeStart(): void {
    const { version, tags, canonical, explicitStart } = this.options
    if (version && (version[0] !== 1 || (version[1] !== 1 && version[1] !== 2))) {
      throw new YamlError('EmitterError', 'incompatible %YAML directive')
    }
    for (const [handle, prefix] of tags) {
      assertTagDirective(handle, prefix)
      this.prefixes.set(handle, prefix)
    }
    if (!tags.has('!')) this.prefixes.set('!', '!')
    if (!tags.has('!!')) this.prefixes.set('!!', YAML_PREFIX)
    if (version) {
      this.writeIndicator('%YAML', true)
      this.writeIndicator(version[1] === 1 ? '1.1' : '1.2', true)
      this.writeIndent()
    }
    for (const [handle, prefix] of tags) {
      this.writeIndicator('%TAG', true)
      this.writeIndicator(handle, true)
      this.writeIndicator(escapeTag(prefix, false), true)
      this.writeIndent()
    }
    if (!explicitStart && !canonical && !version && tags.size === 0) return
    this.writeIndent()
    this.writeIndicator('---', true)
    if (canonical) this.writeIndent()
  }

  protected writeAlias(node: DumpNode, context: EmitterContext): void {
    this.writeIndicator(`*${node.anchor}`, true)
    this.endContent()
    if (context === 'simple-key') this.put(' ')
  }

  protected writeCollectionTag(node: DumpNode): void {
    const tag = this.collectionTag(node)
    if (tag) this.writeTag(tag)
  }

  private collectionTag(node: DumpNode): TagText | undefined {
    const implicit = node.tag === (node.kind === 'sequence' ? SEQ : MAP)
    return implicit && !this.options.canonical ? undefined : this.tagText(node.tag)
  }

  private tagText(tag: string): TagText {
    for (const [handle, prefix] of this.prefixes) {
      if (prefix.length < tag.length && tag.startsWith(prefix)) return { handle, suffix: tag.slice(prefix.length) }
    }
    return { handle: '', suffix: tag }
  }

  private writeTag(tag: TagText): void {
    const suffix = escapeTag(tag.suffix, false)
    this.writeIndicator(tag.handle === '' ? `!<${suffix}>` : tag.handle + suffix, true)
    this.endContent()
  }

  protected isSimpleKey(node: DumpNode): boolean {
    let length = node.anchor?.length ?? 0
    if (!node.written) {
      if (node.kind === 'scalar') {
        if (this.analyze(node).multiline) return false
        length += Buffer.byteLength(node.text) + tagLength(this.scalarTag(node))
      } else {
        if (node.items.length > 0) return false
        length += tagLength(this.collectionTag(node))
      }
    }
    return length <= LONGEST_SIMPLE_KEY
  }

  private analyze(node: DumpNode): Analysis {
    return analyzeScalar(node.text, LIBYAML, this.options.unicode)
  }

  /** Return the tag that is required in every style. */
  private scalarTag(node: DumpNode): TagText | undefined {
    const implicit = node.tag === STR || resolvePlain(node.text) === node.tag
    return implicit && !this.options.canonical ? undefined : this.tagText(node.tag)
  }

  protected writeScalar(node: DumpNode, context: EmitterContext): void {
    const analysis = this.analyze(node)
    const tag = this.scalarTag(node)
    const style = this.chooseStyle(node, context, analysis, tag === undefined)
    this.writeAnchor(node)
    if (tag) this.writeTag(tag)
    else if (style !== '' && node.tag !== STR) this.writeTag({ handle: '!', suffix: '' })
    const outer = this.indent
    this.indent = this.deeper(true)
    this.writeScalarText(node.text, style, context !== 'simple-key')
    this.indent = outer
  }

  private chooseStyle(node: DumpNode, context: EmitterContext, analysis: Analysis, untagged: boolean): ScalarStyle {
    const inFlow = this.flowLevel > 0
    const isKey = context === 'simple-key'
    let style: ScalarStyle = this.options.canonical || (isKey && analysis.multiline) ? '"' : node.style
    if (style === '') {
      const allowed = inFlow ? analysis.flowPlain : analysis.blockPlain
      const emptyInline = node.text === '' && (inFlow || isKey)
      if (!allowed || emptyInline || (untagged && resolvePlain(node.text) !== node.tag)) style = "'"
    }
    if (style === "'" && !analysis.singleQuoted) style = '"'
    if ((style === '|' || style === '>') && (!analysis.block || inFlow || isKey)) style = '"'
    return style
  }

  private writeScalarText(text: string, style: ScalarStyle, mayBreak: boolean): void {
    if (style === '') writePlain(this, text, mayBreak, this.flowLevel > 0)
    else if (style === "'") writeSingleQuoted(this, text, mayBreak)
    else if (style === '"') writeDoubleQuoted(this, text, mayBreak, this.options.unicode)
    else {
      this.writeBlockHeader(text, style)
      if (style === '|') writeLiteral(this, text)
      else writeFolded(this, text)
    }
  }

  private writeBlockHeader(text: string, style: '|' | '>'): void {
    const { isBreak } = LIBYAML
    const breakAt = (i: number): boolean => i >= 0 && isBreak(text.charCodeAt(i))
    this.writeIndicator(style, true)
    if (text[0] === ' ' || breakAt(0)) this.writeIndicator(String(this.options.indent), false)
    const keeps = breakAt(text.length - 1) && (text.length === 1 || breakAt(text.length - 2))
    this.openEnded = keeps
    if (keeps) this.writeIndicator('+', false)
    else if (!breakAt(text.length - 1)) this.writeIndicator('-', false)
    this.putBreak()
    this.whitespace = true
    this.indention = true
  }
}

const tagLength = (tag: TagText | undefined): number => (tag ? tag.handle.length + Buffer.byteLength(tag.suffix) : 0)

function assertTagDirective(handle: string, prefix: string): void {
  const problem =
    handle === ''
      ? 'tag handle must not be empty'
      : handle[0] !== '!'
        ? "tag handle must start with '!'"
        : handle.at(-1) !== '!'
          ? "tag handle must end with '!'"
          : /[^\w-]/.test(handle.slice(1, -1))
            ? 'tag handle must contain alphanumerical characters only'
            : prefix === ''
              ? 'tag prefix must not be empty'
              : undefined
  if (problem) throw new YamlError('EmitterError', problem)
}
