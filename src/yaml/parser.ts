// Converts tokens to nodes: libyaml's parser and PyYAML's composer in one pass, so that errors come in the same order.
// For the same reason, tokens are read as late as in libyaml.
import { PyError } from '../data/mod.ts'
import { type Mark, markedError, YamlError } from './errors.ts'
import { checkExpansion } from './expansion.ts'
import { NO_ITEMS, Node } from './node.ts'
import { resolvePlain } from './resolve.ts'
import { Scanner } from './scan/scanner.ts'
import { END, type Source } from './scan/source.ts'
import type { Token } from './scan/token.ts'
import * as T from './scan/token.ts'
import { MAP, NULL, SEQ, STR, YAML_PREFIX } from './tags.ts'

/** Python gives up at about as many levels; data nested deeper is an attack, not configuration. */
const DEEPEST = 1000

/** The anchor and tag before a node's content. */
interface Properties {
  anchor: string | undefined
  tag: string | undefined
  line: number
  column: number
}

const NON_SPECIFIC = '!'

/** Return the single document of the source; undefined if there is none. `mapTag`: the tag of mappings without one. */
export function composeSource(source: Source, mapTag = MAP): Node | undefined {
  const parser = new Parser(source, mapTag)
  if (!source.broken) {
    const root = parser.document()
    if (root && parser.hasAliases) checkExpansion(root, source.name)
    return root
  }
  try {
    parser.document()
  } catch (error) {
    if (error instanceof YamlError && parser.isBefore(source.text.length - 2 * END.length)) throw error
  }
  throw source.broken
}

class Parser {
  private readonly scanner: Scanner
  private readonly source: string
  private readonly anchors = new Map<string, Node>()
  private readonly prefixes = new Map<string, string>()
  private readonly mapTag: string
  private depth = 0
  hasAliases = false

  constructor(source: Source, mapTag: string) {
    this.mapTag = mapTag
    this.scanner = new Scanner(source)
    this.source = source.name
  }

  /** Whether scanning has not reached that place. */
  isBefore(pos: number): boolean {
    return this.scanner.pos < pos
  }

  document(): Node | undefined {
    const token = this.scanner.peek()
    if (token.type === T.STREAM_END) return undefined
    const root = startsExplicitly(token) ? this.explicitRoot() : this.implicitRoot()
    if (this.scanner.peek().type === T.DOCUMENT_END) this.scanner.skip()
    this.prefixes.clear()
    this.refuseAnother(root)
    return root
  }

  private implicitRoot(): Node {
    this.takeDirectives()
    return this.node(true, false)
  }

  private explicitRoot(): Node {
    this.takeDirectives()
    this.takeDocumentStart()
    const token = this.scanner.peek()
    if (startsExplicitly(token) || token.type === T.DOCUMENT_END || token.type === T.STREAM_END) {
      return emptyNode(token.line, token.column)
    }
    return this.node(true, false)
  }

  private takeDocumentStart(): void {
    const token = this.scanner.peek()
    if (token.type !== T.DOCUMENT_START)
      this.fail(undefined, undefined, 'did not find expected <document start>', token)
    this.scanner.skip()
  }

  /** Throw if the source has another document. */
  private refuseAnother(root: Node): void {
    let token = this.scanner.peek()
    while (token.type === T.DOCUMENT_END) token = this.next()
    if (token.type === T.STREAM_END) return
    this.takeDirectives()
    this.takeDocumentStart()
    throw markedError('ComposerError', {
      source: this.source,
      context: 'expected a single document in the stream',
      contextMark: root,
      problem: 'but found another document',
      problemMark: token,
    })
  }

  private takeDirectives(): void {
    let seenVersion = false
    for (let token = this.scanner.peek(); ; token = this.next()) {
      if (token.type === T.VERSION_DIRECTIVE) {
        if (seenVersion) this.fail(undefined, undefined, 'found duplicate %YAML directive', token)
        if (token.value !== '1.1' && token.value !== '1.2') {
          this.fail(undefined, undefined, 'found incompatible YAML document', token)
        }
        seenVersion = true
      } else if (token.type === T.TAG_DIRECTIVE) {
        if (this.prefixes.has(token.value)) this.fail(undefined, undefined, 'found duplicate %TAG directive', token)
        this.prefixes.set(token.value, token.suffix)
      } else break
    }
    if (!this.prefixes.has('!')) this.prefixes.set('!', '!')
    if (!this.prefixes.has('!!')) this.prefixes.set('!!', YAML_PREFIX)
  }

  /** Consume a token and return the next one. */
  private next(): Token {
    this.scanner.skip()
    return this.scanner.peek()
  }

  private fail(context: string | undefined, contextMark: Mark | undefined, problem: string, problemMark: Mark): never {
    throw markedError('ParserError', { source: this.source, context, contextMark, problem, problemMark })
  }

  /** `block` allows block collections, `indentless` a sequence at the column of its key. */
  private node(block: boolean, indentless: boolean): Node {
    const token = this.scanner.peek()
    if (token.type === T.ALIAS) return this.alias(token)
    if (token.type === T.SCALAR) {
      this.scanner.skip()
      return token.plain ? plainNode(token) : new Node('scalar', STR, token.value, NO_ITEMS, token.line, token.column)
    }
    if (token.type !== T.ANCHOR && token.type !== T.TAG) return this.content(token, undefined, block, indentless)
    const properties = this.properties(token)
    return this.content(this.scanner.peek(), properties, block, indentless)
  }

  private alias(token: Token): Node {
    this.scanner.skip()
    const node = this.anchors.get(token.value)
    this.hasAliases = true
    if (node) return node
    throw markedError('ComposerError', { source: this.source, problem: 'found undefined alias', problemMark: token })
  }

  private properties(first: Token): Properties {
    const second = this.next()
    const paired = first.type === T.ANCHOR ? second.type === T.TAG : second.type === T.ANCHOR
    if (paired) {
      this.scanner.skip()
      this.scanner.peek()
    }
    const anchor = first.type === T.ANCHOR ? first : paired ? second : undefined
    const tag = first.type === T.TAG ? first : paired ? second : undefined
    return {
      anchor: anchor?.value,
      tag: tag && this.fullTag(tag, first),
      line: first.line,
      column: first.column,
    }
  }

  private fullTag(token: Token, start: Mark): string {
    if (token.value === '') return token.suffix
    const prefix = this.prefixes.get(token.value)
    if (prefix === undefined) this.fail('while parsing a node', start, 'found undefined tag handle', token)
    return prefix + token.suffix
  }

  private content(token: Token, given: Properties | undefined, block: boolean, indentless: boolean): Node {
    const start = given ?? token
    switch (token.type) {
      case T.SCALAR:
        return this.scalar(token, given!)
      case T.FLOW_SEQUENCE_START:
        return this.flowSequence(this.collection('sequence', SEQ, given, start), token)
      case T.FLOW_MAPPING_START:
        return this.flowMapping(this.collection('mapping', this.mapTag, given, start), token)
      case T.BLOCK_SEQUENCE_START:
        if (block) return this.blockSequence(this.collection('sequence', SEQ, given, start), token)
        break
      case T.BLOCK_MAPPING_START:
        if (block) return this.blockMapping(this.collection('mapping', this.mapTag, given, start), token)
        break
      case T.BLOCK_ENTRY:
        if (indentless) return this.indentlessSequence(this.collection('sequence', SEQ, given, start))
    }
    if (given) return this.emptyWithProperties(given)
    const context = block ? 'while parsing a block node' : 'while parsing a flow node'
    return this.fail(context, start, 'did not find expected node content', token)
  }

  /** Parse a scalar after an anchor or a tag. `!` resolves the type by the text, whether it is quoted or not. */
  private scalar(token: Token, given: Properties): Node {
    this.scanner.skip()
    let { tag } = given
    if (tag === undefined) tag = token.plain ? resolvePlain(token.value) : STR
    else if (tag === NON_SPECIFIC) tag = resolvePlain(token.value)
    return this.anchored(given, new Node('scalar', tag, token.value, NO_ITEMS, given.line, given.column))
  }

  private emptyWithProperties(given: Properties): Node {
    const tag = given.tag === undefined ? NULL : given.tag === NON_SPECIFIC ? STR : given.tag
    return this.anchored(given, new Node('scalar', tag, '', NO_ITEMS, given.line, given.column))
  }

  private collection(kind: 'sequence' | 'mapping', tag: string, given: Properties | undefined, start: Mark): Node {
    const { line, column } = start
    if (!given) return new Node(kind, tag, '', [], line, column)
    const own = given.tag === undefined || given.tag === NON_SPECIFIC ? tag : given.tag
    return this.anchored(given, new Node(kind, own, '', [], line, column))
  }

  private anchored(given: Properties, node: Node): Node {
    const { anchor } = given
    if (anchor === undefined) return node
    const first = this.anchors.get(anchor)
    if (first) {
      throw markedError('ComposerError', {
        source: this.source,
        context: 'found duplicate anchor; first occurrence',
        contextMark: first,
        problem: 'second occurrence',
        problemMark: node,
      })
    }
    this.anchors.set(anchor, node)
    return node
  }

  private enter(): void {
    if (++this.depth > DEEPEST) throw new PyError('RecursionError', 'maximum recursion depth exceeded')
  }

  private blockSequence(node: Node, start: Token): Node {
    this.enter()
    let token = this.next()
    while (token.type === T.BLOCK_ENTRY) {
      const next = this.next()
      const empty = next.type === T.BLOCK_ENTRY || next.type === T.BLOCK_END
      node.items.push(empty ? emptyBehind(token) : this.node(true, false))
      token = this.scanner.peek()
    }
    if (token.type !== T.BLOCK_END) {
      this.fail('while parsing a block collection', start, "did not find expected '-' indicator", token)
    }
    this.scanner.skip()
    this.depth--
    return node
  }

  private indentlessSequence(node: Node): Node {
    this.enter()
    let token = this.scanner.peek()
    while (token.type === T.BLOCK_ENTRY) {
      const { type } = this.next()
      const empty = type === T.BLOCK_ENTRY || beginsKey(type) || type === T.VALUE || type === T.BLOCK_END
      node.items.push(empty ? emptyBehind(token) : this.node(true, false))
      token = this.scanner.peek()
    }
    this.depth--
    return node
  }

  private blockMapping(node: Node, start: Token): Node {
    this.enter()
    let token = this.next()
    while (token.type === T.KEY || token.type === T.PLAIN_KEY) {
      if (token.type === T.PLAIN_KEY) node.items.push(plainNode(token), this.blockMappingPart(token))
      else {
        node.items.push(this.blockMappingPart(token))
        token = this.scanner.peek()
        if (token.type === T.VALUE) node.items.push(this.blockMappingPart(token))
        else node.items.push(emptyNode(token.line, token.column))
      }
      token = this.scanner.peek()
    }
    if (token.type !== T.BLOCK_END) {
      this.fail('while parsing a block mapping', start, 'did not find expected key', token)
    }
    this.scanner.skip()
    this.depth--
    return node
  }

  /** The node behind a KEY, a VALUE or a whole key. */
  private blockMappingPart(indicator: Token): Node {
    const { type } = this.next()
    const empty = beginsKey(type) || type === T.VALUE || type === T.BLOCK_END
    return empty ? emptyBehind(indicator) : this.node(true, true)
  }

  private flowSequence(node: Node, start: Token): Node {
    this.enter()
    let token = this.next()
    let first = true
    while (token.type !== T.FLOW_SEQUENCE_END) {
      if (!first) {
        token = this.flowSeparator(token, start, 'while parsing a flow sequence', "did not find expected ',' or ']'")
        if (token.type === T.FLOW_SEQUENCE_END) break
      }
      first = false
      node.items.push(token.type === T.KEY ? this.singlePair(token) : this.node(false, false))
      token = this.scanner.peek()
    }
    this.scanner.skip()
    this.depth--
    return node
  }

  private flowSeparator(token: Token, start: Token, context: string, problem: string): Token {
    if (token.type !== T.FLOW_ENTRY) this.fail(context, start, problem, token)
    return this.next()
  }

  /** `[a: 1]`: a mapping with one pair. Here libyaml swallows the token that ends an empty key. */
  private singlePair(start: Token): Node {
    const node = new Node('mapping', this.mapTag, '', [], start.line, start.column)
    let token = this.next()
    if (token.type === T.VALUE || token.type === T.FLOW_ENTRY || token.type === T.FLOW_SEQUENCE_END) {
      node.items.push(emptyBehind(token))
      this.scanner.skip()
    } else node.items.push(this.node(false, false))
    token = this.scanner.peek()
    node.items.push(this.flowValue(token, T.FLOW_SEQUENCE_END))
    this.scanner.peek()
    return node
  }

  /** Parse the value of a flow key; empty if there is no `:` or no value after it. */
  private flowValue(token: Token, end: number): Node {
    if (token.type !== T.VALUE) return emptyNode(token.line, token.column)
    const next = this.next()
    if (next.type === T.FLOW_ENTRY || next.type === end) return emptyNode(next.line, next.column)
    return this.node(false, false)
  }

  private flowMapping(node: Node, start: Token): Node {
    this.enter()
    let token = this.next()
    let first = true
    while (token.type !== T.FLOW_MAPPING_END) {
      if (!first) {
        token = this.flowSeparator(token, start, 'while parsing a flow mapping', "did not find expected ',' or '}'")
        if (token.type === T.FLOW_MAPPING_END) break
      }
      first = false
      this.flowMappingEntry(node, token)
      token = this.scanner.peek()
    }
    this.scanner.skip()
    this.depth--
    return node
  }

  private flowMappingEntry(node: Node, start: Token): void {
    if (start.type !== T.KEY) {
      node.items.push(this.node(false, false))
      const token = this.scanner.peek()
      node.items.push(emptyNode(token.line, token.column))
      return
    }
    const token = this.next()
    const empty = token.type === T.VALUE || token.type === T.FLOW_ENTRY || token.type === T.FLOW_MAPPING_END
    node.items.push(empty ? emptyNode(token.line, token.column) : this.node(false, false))
    node.items.push(this.flowValue(this.scanner.peek(), T.FLOW_MAPPING_END))
  }
}

const startsExplicitly = (token: Token): boolean =>
  token.type === T.VERSION_DIRECTIVE || token.type === T.TAG_DIRECTIVE || token.type === T.DOCUMENT_START

const beginsKey = (type: number): boolean => type === T.KEY || type === T.PLAIN_KEY

const plainNode = ({ value, line, column }: Token): Node =>
  new Node('scalar', resolvePlain(value), value, NO_ITEMS, line, column)

const emptyNode = (line: number, column: number): Node => new Node('scalar', NULL, '', NO_ITEMS, line, column)

const emptyBehind = (token: Token): Node => emptyNode(token.line, token.column + token.width)
