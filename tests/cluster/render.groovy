// What Nextflow makes of a module for tasks, by Groovy itself: each task's command, and the paths of its outputs.
//
//   java -cp groovy-all.jar groovy.ui.GroovyMain render.groovy main.nf
//
// Reads lists of tasks, in JSON, a line each, and answers each with a line. A task has `block` (script or stub) and
// what the module reads: reads, models, data, meta, task.
import groovy.json.JsonOutput
import groovy.json.JsonSlurper
import java.nio.file.Paths
import org.codehaus.groovy.control.CompilerConfiguration
import org.codehaus.groovy.runtime.InvokerHelper

// What Nextflow's language has beyond Groovy's.
abstract class NextflowScript extends Script {
    String command
    Map outputs = [:]

    void process(Closure body) { body() }
    void script(Closure block) { render('script', block) }
    void stub(Closure block) { render('stub', block) }
    void render(String which, Closure block) {
        if (binding.block == which) command = block().toString().stripIndent()
    }

    def path(Map options = [:], name) {
        def output = [path: name.toString(), glob: options.glob != false]
        if (options.emit) outputs[options.emit] = output
        return output
    }
    void tuple(Map options = [:], Object... members) {
        if (options.emit) outputs[options.emit] = members[-1] + [optional: options.optional == true]
    }
    void error(message) { throw new IllegalArgumentException(message.toString()) }

    // Directives, and the process's name, which is called with its body.
    def methodMissing(String name, arguments) { arguments[0] }
    // Names of inputs and outputs where they are declared.
    def propertyMissing(String name) { name }
}

def paths(names) { names instanceof List ? names.collect { Paths.get(it) } : Paths.get(names) }

def render(Class type, Map task) {
    def values = new Binding(task + [reads: paths(task.reads), models: paths(task.models)])
    def module = InvokerHelper.createScript(type, values)
    try {
        // The second time the outputs' paths have the prefix, which the block sets below them.
        2.times { module.run() }
    } catch (IllegalArgumentException refused) {
        return [refused: refused.message]
    }
    return [command: module.command, outputs: module.outputs]
}

// Nextflow takes a process apart at these labels.
def text = new File(args[0]).text.replace('\n    script:\n', '\n    script {\n').
    replace('\n    stub:\n', '\n    }\n    stub {\n') + '}\n'
def language = new CompilerConfiguration(scriptBaseClass: 'NextflowScript')
def type = new GroovyShell(NextflowScript.classLoader, new Binding(), language).parse(text).class
System.in.eachLine('UTF-8') { tasks ->
    println(JsonOutput.toJson(new JsonSlurper().parseText(tasks).collect { render(type, it) }))
}
