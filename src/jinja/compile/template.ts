// A whole template → the source of a factory that, given an environment's functions, makes its root and blocks.
import type * as ast from '../ast.ts'
import { findAll } from '../ast.ts'
import { analyze, SymbolScope, undeclared } from '../symbols.ts'
import type { CompileOptions, Link } from './expressions.ts'
import type { CodeFrame } from './frame.ts'
import { StatementCompiler } from './statements.ts'

export interface CompiledTemplate {
  /** The body of `function (S, K, L, TPL)`, which gives `{ root, blocks }`. */
  code: string
  constants: TemplateCompiler['constants']
  links: readonly Link[]
}

export function compileTemplate(
  template: ast.Template,
  options: CompileOptions,
  name: string | undefined,
  supportNames: readonly string[],
): CompiledTemplate {
  const compiler = new TemplateCompiler(options, name)
  const body = compiler.template(template)
  const links = compiler.links.length ? `const [${compiler.links.map((_, i) => `L${i}`).join(',')}]=L;` : ''
  const names = JSON.stringify(assignedNames(template.body))
  const code = `"use strict";const {${supportNames.join(',')}}=S,N=${names};${links}\n${body}`
  return { code, constants: compiler.constants, links: compiler.links }
}

/** Every name the template assigns somewhere, for "did you mean". */
function assignedNames(body: readonly ast.Stmt[]): string[] {
  const names = new Set<string>()
  for (const node of findAll(body, 'Name')) if (node.ctx !== 'load') names.add(node.name)
  for (const { name } of findAll(body, 'Macro')) names.add(name)
  for (const { target } of findAll(body, 'Import')) names.add(target)
  for (const node of findAll(body, 'FromImport')) for (const { alias } of node.names) names.add(alias)
  return [...names].filter((name) => !name.endsWith(' '))
}

class TemplateCompiler extends StatementCompiler {
  template({ body }: ast.Template): string {
    const blocks = new Map<string, ast.Block>()
    for (const block of findAll(body, 'Block')) {
      if (blocks.has(block.name)) this.fail(`block '${block.name}' defined twice`, block.line)
      blocks.set(block.name, block)
    }
    const root = this.root(body)
    const parts = [...blocks.values()].map((block) => `[${JSON.stringify(block.name)}]:${this.blockFunction(block)}`)
    return `const blocks={__proto__:null,${parts.join(',\n')}};\nreturn {root:${root},blocks};`
  }

  private frame(toplevel: boolean): CodeFrame {
    return {
      scope: new SymbolScope(this.names),
      buffer: 'o',
      toplevel,
      soft: false,
      silenced: toplevel,
      escape: this.options.autoescape ? 'on' : 'off',
      offset: toplevel ? 'o.length' : undefined,
    }
  }

  private root(body: readonly ast.Stmt[]): string {
    const frame = this.frame(true)
    const fn = this.inFunction(() => {
      this.write("let o='',parent;")
      if (undeclared(body, ['self']).has('self')) this.write(`const ${frame.scope.parameter('self')}=rt.self(ctx);`)
      analyze(frame.scope, body)
      this.enter(frame.scope)
      this.body(body, frame)
      if (this.extendsSeen) this.write(`if(parent!==undefined)o+=${this.settle('rt.renderParent(parent,ctx)')};`)
      this.write('return o;')
    })
    return this.functionCode('ctx,rt,M', 1, 'root', fn)
  }

  private blockFunction(block: ast.Block): string {
    const frame = this.frame(false)
    const name = JSON.stringify(block.name)
    const special = undeclared(block.body, ['self', 'super'])
    const fn = this.inFunction(() => {
      this.write("let o='';")
      if (special.has('self')) this.write(`const ${frame.scope.parameter('self')}=rt.self(ctx);`)
      if (special.has('super'))
        this.write(`const ${frame.scope.parameter('super')}=rt.super(ctx,${name},blocks[${name}]);`)
      analyze(frame.scope, block.body)
      this.enter(frame.scope)
      this.body(block.body, frame)
      this.write('return o;')
    })
    return this.functionCode('ctx,rt', block.line, 'block', fn)
  }
}
