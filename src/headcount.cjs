#!/usr/bin/env node
// Written so that any Node can read it: an old one shall say what it needs instead of a syntax error.
var fs = require('fs')
var path = require('path')

// Where the sources are beside it, this is a checkout: it may bring a Node of its own, and its build may be an old one.
var checkout = fs.existsSync(path.join(__dirname, 'cli.ts')) ? require('../build/checkout.cjs') : null

if (parseInt(process.versions.node, 10) >= 24) start()
else if (checkout === null || !checkout.startWithItsNode(__filename)) {
  fail('headcount needs Node 24 or newer; this is ' + process.version + ' (see https://nodejs.org)')
}

function start() {
  if (checkout !== null) {
    checkout.endWithLauncher()
    var problem = checkout.problemOfBuild()
    if (problem.fatal) fail(problem.text)
    if (problem.text) process.stderr.write(problem.text + '\n')
  }
  compilePgliteOnce()
  compileOnOneThread()
  boundYoungObjects()
  // What Node compiled is kept for the next start, beside the code and as safe as it; where that cannot be written, nothing is.
  require('node:module').enableCompileCache(path.join(__dirname, '../dist/cache'))
  require('../dist/command/cli.cjs')
}

// Not a second time for speed: that takes 380 MB and twice the time to open a folder, and pays in no load that was measured.
// Said before anything is loaded: code that is kept for the next start counts for one set of flags only.
function compilePgliteOnce() {
  var v8 = require('node:v8')
  v8.setFlagsFromString('--no-wasm-tier-up')
  v8.setFlagsFromString('--no-wasm-dynamic-tiering')
}

// More threads that compile would take the processors from the database server beside them, and compile no less.
function compileOnOneThread() {
  require('node:v8').setFlagsFromString('--concurrent-turbofan-max-threads=1')
}

// The part of the heap for young objects grows to 8 MB and no further: its default takes 100 MB more, its first size twice the time for garbage.
// It grows when garbage is collected, and is looked at then: an idle process is not woken.
function boundYoungObjects() {
  var v8 = require('node:v8')
  var growing = new (require('node:perf_hooks').PerformanceObserver)(function () {
    var young = v8.getHeapSpaceStatistics().find(function (space) {
      return space.space_name === 'new_space'
    })
    if (young.space_size < 8 * 1024 * 1024) return
    v8.setFlagsFromString('--semi-space-growth-factor=1')
    // The rest is swept when it is 1.7 times what was in use, not when it is four times that: 20 to 30 MB less at the peak, and
    // 3 to 7 % more processor time where every row is compared.
    v8.setFlagsFromString('--heap-growing-percent=70')
    growing.disconnect()
  })
  growing.observe({ entryTypes: ['gc'] })
}

function fail(text) {
  process.stderr.write(text + '\n')
  process.exit(1)
}
