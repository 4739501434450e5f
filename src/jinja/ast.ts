// The syntax tree. Every node has its first line, which errors name.
import type { Value } from '../data/mod.ts'

interface At {
  line: number
}

export interface Const extends At {
  type: 'Const'
  value: Value
}
/** Text between tags. */
export interface TemplateData extends At {
  type: 'TemplateData'
  text: string
}
export interface Name extends At {
  type: 'Name'
  name: string
  ctx: 'load' | 'store' | 'param'
}
/** `ns.attr` as the target of a set. */
export interface NamespaceRef extends At {
  type: 'NamespaceRef'
  name: string
  attr: string
}
export interface TupleNode extends At {
  type: 'Tuple'
  items: Expr[]
  ctx: 'load' | 'store' | 'param'
}
export interface ListNode extends At {
  type: 'List'
  items: Expr[]
}
export interface DictNode extends At {
  type: 'Dict'
  pairs: Array<{ key: Expr; value: Expr }>
}
export interface CondExpr extends At {
  type: 'CondExpr'
  test: Expr
  chosen: Expr
  otherwise: Expr | undefined
}
export interface Keyword {
  key: string
  value: Expr
}
export interface Arguments {
  args: Expr[]
  kwargs: Keyword[]
  dynArgs: Expr | undefined
  dynKwargs: Expr | undefined
}
export interface Filter extends At, Arguments {
  type: 'Filter'
  /** undefined inside a filter block or a block set: the captured text. */
  node: Expr | undefined
  name: string
}
export interface Test extends At, Arguments {
  type: 'Test'
  node: Expr
  name: string
}
export interface Call extends At, Arguments {
  type: 'Call'
  node: Expr
}
export interface Getattr extends At {
  type: 'Getattr'
  node: Expr
  attr: string
}
export interface Getitem extends At {
  type: 'Getitem'
  node: Expr
  arg: Expr
}
export interface Slice extends At {
  type: 'Slice'
  start: Expr | undefined
  stop: Expr | undefined
  step: Expr | undefined
}
export interface Concat extends At {
  type: 'Concat'
  nodes: Expr[]
}
export type CompareOp = 'eq' | 'ne' | 'gt' | 'gteq' | 'lt' | 'lteq' | 'in' | 'notin'
export interface Compare extends At {
  type: 'Compare'
  expr: Expr
  ops: Array<{ op: CompareOp; expr: Expr }>
}
export type BinaryOp = 'add' | 'sub' | 'mul' | 'div' | 'floordiv' | 'mod' | 'pow'
export interface Binary extends At {
  type: 'Binary'
  op: BinaryOp
  left: Expr
  right: Expr
}
export interface Logic extends At {
  type: 'And' | 'Or'
  left: Expr
  right: Expr
}
export interface Unary extends At {
  type: 'Not' | 'Neg' | 'Pos'
  node: Expr
}

export type Expr =
  | Const
  | TemplateData
  | Name
  | NamespaceRef
  | TupleNode
  | ListNode
  | DictNode
  | CondExpr
  | Filter
  | Test
  | Call
  | Getattr
  | Getitem
  | Slice
  | Concat
  | Compare
  | Binary
  | Logic
  | Unary

export type Target = Name | NamespaceRef | TupleNode

export interface Output extends At {
  type: 'Output'
  nodes: Expr[]
}
export interface For extends At {
  type: 'For'
  target: Target
  iter: Expr
  test: Expr | undefined
  recursive: boolean
  body: Stmt[]
  otherwise: Stmt[]
}
export interface If extends At {
  type: 'If'
  test: Expr
  body: Stmt[]
  elifs: If[]
  otherwise: Stmt[]
}
export interface Macro extends At {
  type: 'Macro'
  name: string
  args: Name[]
  defaults: Expr[]
  body: Stmt[]
}
export interface CallBlock extends At {
  type: 'CallBlock'
  call: Call
  args: Name[]
  defaults: Expr[]
  body: Stmt[]
}
export interface FilterBlock extends At {
  type: 'FilterBlock'
  filter: Filter
  body: Stmt[]
}
export interface With extends At {
  type: 'With'
  targets: Target[]
  values: Expr[]
  body: Stmt[]
}
export interface Block extends At {
  type: 'Block'
  name: string
  scoped: boolean
  required: boolean
  body: Stmt[]
}
export interface Extends extends At {
  type: 'Extends'
  template: Expr
}
export interface Include extends At {
  type: 'Include'
  template: Expr
  withContext: boolean
  ignoreMissing: boolean
}
export interface Import extends At {
  type: 'Import'
  template: Expr
  target: string
  withContext: boolean
}
export interface FromImport extends At {
  type: 'FromImport'
  template: Expr
  names: Array<{ name: string; alias: string }>
  withContext: boolean
}
export interface Assign extends At {
  type: 'Assign'
  target: Target
  node: Expr
}
export interface AssignBlock extends At {
  type: 'AssignBlock'
  target: Target
  filter: Filter | undefined
  body: Stmt[]
}
export interface ExprStmt extends At {
  type: 'ExprStmt'
  node: Expr
}
export interface AutoEscape extends At {
  type: 'AutoEscape'
  value: Expr
  body: Stmt[]
}
/** Salt's `profile`: logs how long its body took. */
export interface Profile extends At {
  type: 'Profile'
  label: Expr
  source: string
  body: Stmt[]
}
export interface LoopControl extends At {
  type: 'Break' | 'Continue'
}

export type Stmt =
  | Output
  | For
  | If
  | Macro
  | CallBlock
  | FilterBlock
  | With
  | Block
  | Extends
  | Include
  | Import
  | FromImport
  | Assign
  | AssignBlock
  | ExprStmt
  | AutoEscape
  | Profile
  | LoopControl

export type Node = Expr | Stmt

export interface Template {
  body: Stmt[]
}

const argumentNodes = (node: Arguments): Array<Expr | undefined> => [
  ...node.args,
  ...node.kwargs.map(({ value }) => value),
  node.dynArgs,
  node.dynKwargs,
]

/** Return the direct children of a node, in evaluation order. */
export function children(node: Node): Node[] {
  return rawChildren(node).filter((child): child is Node => child !== undefined)
}

function rawChildren(node: Node): Array<Node | undefined> {
  switch (node.type) {
    case 'Tuple':
    case 'List':
      return node.items
    case 'Dict':
      return node.pairs.flatMap(({ key, value }) => [key, value])
    case 'CondExpr':
      return [node.test, node.chosen, node.otherwise]
    case 'Filter':
    case 'Test':
    case 'Call':
      return [node.node, ...argumentNodes(node)]
    case 'Getattr':
    case 'Not':
    case 'Neg':
    case 'Pos':
    case 'ExprStmt':
      return [node.node]
    case 'Getitem':
      return [node.node, node.arg]
    case 'Slice':
      return [node.start, node.stop, node.step]
    case 'Concat':
    case 'Output':
      return node.nodes
    case 'Compare':
      return [node.expr, ...node.ops.map(({ expr }) => expr)]
    case 'Binary':
    case 'And':
    case 'Or':
      return [node.left, node.right]
    case 'For':
      return [node.target, node.iter, ...node.body, ...node.otherwise, node.test]
    case 'If':
      return [node.test, ...node.body, ...node.elifs, ...node.otherwise]
    case 'Macro':
      return [...node.args, ...node.defaults, ...node.body]
    case 'CallBlock':
      return [node.call, ...node.args, ...node.defaults, ...node.body]
    case 'FilterBlock':
      return [...node.body, node.filter]
    case 'With':
      return [...node.targets, ...node.values, ...node.body]
    case 'Block':
      return node.body
    case 'Extends':
    case 'Include':
    case 'Import':
    case 'FromImport':
      return [node.template]
    case 'Assign':
      return [node.target, node.node]
    case 'AssignBlock':
      return [node.target, node.filter, ...node.body]
    case 'AutoEscape':
      return [node.value, ...node.body]
    case 'Profile':
      return [node.label, ...node.body]
    default:
      return []
  }
}

/** Every node of the given type below these, outermost first. */
export function* findAll<T extends Node['type']>(
  nodes: readonly Node[],
  type: T,
): Generator<Extract<Node, { type: T }>> {
  for (const node of nodes) {
    if (node.type === type) yield node as Extract<Node, { type: T }>
    yield* findAll(children(node), type)
  }
}
