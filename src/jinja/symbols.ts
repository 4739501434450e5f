// Resolves names to variables. Scopes are analysed before code is generated, so that a name becomes a JavaScript local:
// a name that is only read is looked up in the context once, on entering its scope; a name that is assigned in an inner
// scope (a loop, a macro, a with) is a separate variable there.
import { children, type Node, type Stmt, type Target } from './ast.ts'

/** The source of a variable's initial value. */
export type Load =
  | { from: 'parameter' }
  | { from: 'context'; name: string }
  | { from: 'alias'; variable: string }
  | { from: 'nothing' }

export class SymbolScope {
  readonly level: number
  readonly parent: SymbolScope | undefined
  variables = new Map<string, string>()
  loads = new Map<string, Load>()
  stores = new Set<string>()
  private readonly names: Identifiers

  constructor(names: Identifiers, parent?: SymbolScope, level = parent ? parent.level + 1 : 0) {
    this.names = names
    this.parent = parent
    this.level = level
  }

  find(name: string): string | undefined {
    return this.variables.get(name) ?? this.parent?.find(name)
  }

  findLoad(variable: string): Load | undefined {
    return this.loads.get(variable) ?? this.parent?.findLoad(variable)
  }

  variable(name: string): string {
    const found = this.find(name)
    if (found === undefined) throw new Error(`No variable for name ${name} in this scope`)
    return found
  }

  private define(name: string, load: Load, variable = this.names.variable(this.level, name)): string {
    this.variables.set(name, variable)
    this.loads.set(variable, load)
    return variable
  }

  load(name: string): void {
    if (this.find(name) === undefined) this.define(name, { from: 'context', name })
  }

  store(name: string): void {
    this.stores.add(name)
    if (this.variables.has(name)) return
    const outer = this.parent?.find(name)
    this.define(name, outer === undefined ? { from: 'nothing' } : { from: 'alias', variable: outer })
  }

  /** Declare a name whose value comes from outside; `variable` distinguishes it from others of the same name. */
  parameter(name: string, variable?: string): string {
    this.stores.add(name)
    return this.define(name, { from: 'parameter' }, variable)
  }

  copy(): SymbolScope {
    const copy = new SymbolScope(this.names, this.parent, this.level)
    copy.variables = new Map(this.variables)
    copy.loads = new Map(this.loads)
    copy.stores = new Set(this.stores)
    return copy
  }

  /** Merge the assignments in the branches of an `if`. A name that not every branch assigns keeps its outside value. */
  merge(branches: readonly SymbolScope[]): void {
    const counts = new Map<string, number>()
    for (const branch of branches) {
      for (const name of branch.stores) {
        if (!this.stores.has(name)) counts.set(name, (counts.get(name) ?? 0) + 1)
      }
    }
    for (const branch of branches) {
      for (const [name, variable] of branch.variables) this.variables.set(name, variable)
      for (const [variable, load] of branch.loads) this.loads.set(variable, load)
      for (const name of branch.stores) this.stores.add(name)
    }
    for (const [name, count] of counts) {
      if (count === branches.length) continue
      const outer = this.parent?.find(name)
      this.loads.set(
        this.variable(name),
        outer === undefined ? { from: 'context', name } : { from: 'alias', variable: outer },
      )
    }
  }

  /** Every name assigned in this scope or around it, with the variable that holds it here. */
  assigned(): Map<string, string> {
    const result = new Map<string, string>()
    for (let scope: SymbolScope | undefined = this; scope; scope = scope.parent) {
      for (const name of scope.stores) if (!result.has(name)) result.set(name, this.variable(name))
    }
    return result
  }
}

/** JavaScript names for template names: a level and a plain-letter spelling, unique where that is not enough. */
export class Identifiers {
  private readonly known = new Map<string, string>()
  private count = 0

  variable(level: number, name: string): string {
    const key = `${level}:${name}`
    let identifier = this.known.get(key)
    if (identifier === undefined) {
      identifier = /^[A-Za-z0-9_]+$/.test(name) ? `l${level}_${name}` : `l${level}$${this.count++}`
      this.known.set(key, identifier)
    }
    return identifier
  }

  fresh(prefix: string): string {
    return `${prefix}$${this.count++}`
  }
}

/** Record the assignments and reads of statements in their scope; inner scopes are analysed separately. */
export function analyze(scope: SymbolScope, nodes: readonly Node[]): void {
  for (const node of nodes) visit(scope, node)
}

function visitTarget(scope: SymbolScope, target: Target, asParameter: boolean): void {
  if (target.type === 'NamespaceRef') scope.load(target.name)
  else if (target.type === 'Tuple') for (const item of target.items) visitTarget(scope, item as Target, asParameter)
  else if (asParameter || target.ctx === 'param') scope.parameter(target.name)
  else scope.store(target.name)
}

/** Declares the names of a loop's target as the loop's own. */
export function declareTarget(scope: SymbolScope, target: Target): void {
  visitTarget(scope, target, true)
}

function visit(scope: SymbolScope, node: Node): void {
  switch (node.type) {
    case 'Name':
      if (node.ctx === 'load') scope.load(node.name)
      else visitTarget(scope, node, false)
      return
    case 'NamespaceRef':
      scope.load(node.name)
      return
    case 'If':
      return visitIf(scope, node.test, [node.body, node.elifs, node.otherwise])
    case 'Macro':
      scope.store(node.name)
      return
    case 'Import':
      visit(scope, node.template)
      scope.store(node.target)
      return
    case 'FromImport':
      visit(scope, node.template)
      for (const { alias } of node.names) scope.store(alias)
      return
    case 'Assign':
      visit(scope, node.node)
      visitTarget(scope, node.target, false)
      return
    case 'AssignBlock':
      visitTarget(scope, node.target, false)
      return
    case 'For':
      visit(scope, node.iter)
      return
    case 'CallBlock':
      visit(scope, node.call)
      return
    case 'FilterBlock':
      visit(scope, node.filter)
      return
    case 'With':
      analyze(scope, node.values)
      return
    case 'AutoEscape':
    case 'Block':
      return
    default:
      analyze(scope, children(node))
  }
}

function visitIf(scope: SymbolScope, test: Node, branches: ReadonlyArray<readonly Stmt[]>): void {
  visit(scope, test)
  scope.merge(
    branches.map((body) => {
      const branch = scope.copy()
      analyze(branch, body)
      return branch
    }),
  )
}

/** Return which of `names` the nodes read before they assign them, inner scopes included. */
export function undeclared(nodes: readonly Node[], names: readonly string[]): Set<string> {
  const wanted = new Set(names)
  const found = new Set<string>()
  const walk = (node: Node): void => {
    if (node.type === 'Block') return
    if (node.type === 'Name') {
      if (node.ctx === 'load') {
        if (wanted.has(node.name)) found.add(node.name)
      } else wanted.delete(node.name)
      return
    }
    for (const child of children(node)) walk(child)
  }
  for (const node of nodes) walk(node)
  return found
}
