import SwiftCompilerPlugin
import SwiftSyntaxMacros

@main
struct StoreMacrosPlugin: CompilerPlugin {
    let providingMacros: [any Macro.Type] = []
}
