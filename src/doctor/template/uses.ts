// The names that a template uses, from its syntax tree: functions, filters, tests, grains and other templates, with
// lines.
import { textOf } from '../../data/mod.ts'
import { children, DEFAULT_DELIMITERS, type Delimiters, type Expr, type Node, parseTemplate } from '../../jinja/mod.ts'

export interface Use {
  name: string
  line: number
  /** Whether it is in a branch, a loop or a macro, and may never be reached. */
  isConditional: boolean
}

export interface TemplateUses {
  /** `module.function` of `salt`. */
  functions: Use[]
  filters: Use[]
  tests: Use[]
  grains: Use[]
  /** Functions whose existence the template tests before the call. */
  guarded: ReadonlySet<string>
}

export function templateUses(source: string, delimiters: Partial<Delimiters> = {}): TemplateUses {
  const tree = parseTemplate(source, { ...DEFAULT_DELIMITERS, ...delimiters })
  const finder = new Finder()
  for (const node of tree.body) finder.visit(node)
  return finder.uses()
}

class Finder {
  private readonly functions: Use[] = []
  private readonly filters: Use[] = []
  private readonly tests: Use[] = []
  private readonly grains: Use[] = []
  private readonly guarded = new Set<string>()
  /** Names that the template binds itself. */
  private readonly bound = new Set<string>()

  /** How many branches, loops and macros are open. */
  private depth = 0

  visit(node: Node): void {
    this.look(node)
    const own = this.functionOf(node)
    if (own !== undefined) {
      this.add(this.functions, own, node.line)
      return
    }
    // a condition, or the value of a loop, is always evaluated
    const [first, ...rest] = children(node)
    const isBranch = BRANCHES.has(node.type)
    const sure = node.type === 'For' ? node.iter : first
    if (sure) this.visit(sure)
    if (isBranch) this.depth++
    for (const child of node.type === 'For' ? children(node) : rest) if (child !== sure) this.visit(child)
    if (isBranch) this.depth--
  }

  private add(uses: Use[], name: string, line: number): void {
    uses.push({ name, line, isConditional: this.depth > 0 })
  }

  uses(): TemplateUses {
    const unless = (name: string, found: Use[]): Use[] => (this.bound.has(name) ? [] : found)
    return {
      functions: unless('salt', this.functions),
      filters: this.filters,
      tests: this.tests,
      grains: unless('grains', this.grains),
      guarded: this.guarded,
    }
  }

  private look(node: Node): void {
    switch (node.type) {
      case 'Name':
        if (node.ctx !== 'load') this.bound.add(node.name)
        break
      case 'Import':
        this.bound.add(node.target)
        break
      case 'FromImport':
        for (const { alias } of node.names) this.bound.add(alias)
        break
      case 'Filter':
        this.add(this.filters, node.name, node.line)
        break
      case 'Test':
        this.add(this.tests, node.name, node.line)
        break
      case 'Compare':
        for (const { op, expr } of node.ops) {
          if ((op === 'in' || op === 'notin') && isSalt(expr)) this.guard(node.expr)
        }
        break
      case 'Call':
        this.lookAtCall(node.node, node.args)
        break
      case 'Getattr':
      case 'Getitem':
        this.lookAtGrain(node)
        break
    }
  }

  /** `salt.get('x.y')` is None if the function does not exist. */
  private lookAtCall(called: Expr, args: readonly Expr[]): void {
    if (called.type !== 'Getattr') return
    if (called.attr === 'get' && isSalt(called.node)) this.guard(args[0])
  }

  private guard(name: Expr | undefined): void {
    const text = name?.type === 'Const' ? textOf(name.value) : undefined
    if (text !== undefined) this.guarded.add(text)
  }

  private lookAtGrain(node: Expr): void {
    if (node.type !== 'Getattr' && node.type !== 'Getitem') return
    if (node.node.type !== 'Name' || node.node.name !== 'grains') return
    const name = keyOf(node)
    // methods of dicts look the same; `grains.get` has a fallback
    if (name !== undefined && !(node.type === 'Getattr' && DICT_METHODS.has(name))) {
      this.add(this.grains, name, node.line)
    }
  }

  /** `salt['a.b']`, `salt.a.b`, `salt['a'].b` and the like. */
  private functionOf(node: Node): string | undefined {
    if (node.type !== 'Getattr' && node.type !== 'Getitem') return undefined
    const last = keyOf(node)
    if (last === undefined) return undefined
    if (isSalt(node.node)) return last.includes('.') ? last : undefined
    const inner = node.node
    if ((inner.type !== 'Getattr' && inner.type !== 'Getitem') || !isSalt(inner.node)) return undefined
    const module = keyOf(inner)
    if (module === undefined || module.includes('.')) return undefined
    return module === 'get' || module === 'keys' ? undefined : `${module}.${last}`
  }
}

const BRANCHES: ReadonlySet<string> = new Set(['If', 'For', 'CondExpr', 'Macro', 'CallBlock', 'And', 'Or'])

const DICT_METHODS = new Set(['get', 'items', 'keys', 'values', 'update', 'copy', 'pop', 'setdefault'])

const isSalt = (node: Expr): boolean => node.type === 'Name' && node.name === 'salt'

function keyOf(node: Extract<Expr, { type: 'Getattr' | 'Getitem' }>): string | undefined {
  if (node.type === 'Getattr') return node.attr
  return node.arg.type === 'Const' ? textOf(node.arg.value) : undefined
}
