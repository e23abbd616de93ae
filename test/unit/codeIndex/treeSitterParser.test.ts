import assert from 'node:assert/strict';
import path from 'node:path';
import { TreeSitterParser } from '../../../src/engine/codeIndex/treeSitterParser.js';

const parsers = new TreeSitterParser(path.resolve('dist', 'parsers'));

/** @param expected `kind name` of each declaration */
function check(language: string, text: string, expected: readonly string[]): void {
  it(`finds the declarations of ${language}`, async () => {
    const found = await parsers.parseSymbols(language, text);
    assert.deepEqual(
      found.map(it => `${it.kind} ${it.name}`),
      expected,
    );
  });
}

describe('parsers', () => {
  after(() => {
    parsers.close();
  });

  check(
    'typescript',
    'export abstract class A { b(): void {} }\nnamespace N { export interface I {} }\nexport const f = () => 1;\nconst one = 1;\ntype T = string;\nenum E { X }',
    ['class A', 'method A.b', 'module N', 'interface N.I', 'function f', 'type T', 'enum E'],
  );
  check('tsx', 'export function View() { return <b>hello</b>; }', ['function View']);
  check('javascript', 'class A { b() {} }\nasync function c() { function inner() {} }', [
    'class A',
    'method A.b',
    'function c',
  ]);
  check('python', '@cached\ndef a():\n  pass\nclass B:\n  def c(self):\n    pass\n', [
    'function a',
    'class B',
    'method B.c',
  ]);
  check('go', 'package p\ntype S struct{}\nfunc (s *S) Run() {}\nfunc Go() {}\n', [
    'type S',
    'method S.Run',
    'function Go',
  ]);
  check(
    'kotlin',
    'package p\n\nclass A(val x: Int) {\n    fun b() = 1\n\n    companion object {\n        fun c() {}\n    }\n}\n\ninterface D {\n    fun e()\n}\n\nobject F\n\ntypealias G = Int\n\nfun String.h(): String = this\n',
    ['class A', 'method A.b', 'method A.c', 'class D', 'method D.e', 'class F', 'type G', 'function h'],
  );
  check('java', 'package p;\npublic class A { A() {} void b() {} enum C { X } }\ninterface D {}', [
    'class A',
    'constructor A.A',
    'method A.b',
    'enum A.C',
    'interface D',
  ]);
  check('c-sharp', 'namespace N { public class A { public void B() {} } struct S {} }', [
    'module N',
    'class N.A',
    'method N.A.B',
    'struct N.S',
  ]);
  check(
    'cpp',
    'namespace n { class A { void b() { } }; }\nint *c(int x) { return 0; }\nvoid n::A::d() {}\nstruct point p;',
    ['module n', 'class n.A', 'method n.A.b', 'function c', 'function n.A.d'],
  );
  check('rust', 'struct S;\nimpl S { fn a(&self) {} }\npub trait T {}\nmod m { fn b() {} }\nfn c() {}', [
    'struct S',
    'method S.a',
    'trait T',
    'module m',
    'method m.b',
    'function c',
  ]);
  check('ruby', 'module M\n  class A\n    def b\n    end\n    def self.c\n    end\n  end\nend\n', [
    'module M',
    'class M.A',
    'method M.A.b',
    'method M.A.c',
  ]);
  check('php', '<?php\nfunction a() {}\nclass B { function c() {} }\ntrait T {}', [
    'function a',
    'class B',
    'method B.c',
    'trait T',
  ]);
  check('bash', 'deploy() {\n  ssh harbour\n}\n', ['function deploy']);
  check('powershell', 'function Get-Tide {\n  "high"\n}\n', ['function Get-Tide']);
  // The rest of a file with an error is read all the same.
  check('typescript', 'function a() {}\nconst = ;\nfunction b() {}\n', ['function a', 'function b']);
});
