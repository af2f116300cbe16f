// NEVER RUN: this project has no Nextflow. Written in the form of nf-core's modules; read it before you use it.

// A value as one word of the shell. Nextflow itself escapes paths alone, and of their characters only some.
def shell_word(value) {
    if( value.toString().contains('\n') ) error "virnucpro: this name has more than one line: ${value}"
    return "'" + value.toString().replace("'", "'\\''") + "'"
}

// A path in the task's folder, as a word that no command takes for an option.
def shell_path(file) {
    return shell_word('./' + file)
}

// Whether the sequences are contigs, which are called by another rule than reads.
def is_contigs(data) {
    def kind = data ? data.toString() : 'reads'
    if( !(kind in ['reads', 'contigs']) ) error "virnucpro: data is reads or contigs, and not ${kind}"
    return kind == 'contigs'
}

process VIRNUCPRO_PREDICT {
    tag "$meta.id"
    label 'process_gpu'
    label 'process_high'

    // There is no package in a public channel: docs/use/install.md says how to make conda package and image.
    conda "${moduleDir}/environment.yml"
    container "virnucpro:0.2.0"

    input:
    tuple val(meta), path(reads)
    path models
    val data // reads or contigs; [] is reads

    output:
    tuple val(meta), path("${prefix}/sequences.tsv", glob: false)                                        , emit: sequences
    tuple val(meta), path("${prefix}/${prefix}_merged/prediction_results.txt", glob: false)              , emit: frames
    tuple val(meta), path("${prefix}/${prefix}_merged/prediction_results_highestscore.csv", glob: false) , emit: chunks
    tuple val(meta), path("${prefix}/contigs.tsv", glob: false)                                          , emit: contigs, optional: true
    tuple val(meta), path("${prefix}/report.html", glob: false)                                          , emit: report
    tuple val(meta), path("${prefix}/virnucpro_mqc.json", glob: false)                                   , emit: multiqc
    tuple val(meta), path("${prefix}/virnucpro_calls_mqc.json", glob: false)                             , emit: multiqc_calls
    tuple val(meta), path("${prefix}/virnucpro_scores_mqc.tsv", glob: false)                             , emit: multiqc_scores
    path "versions.yml"                                                                                  , emit: versions

    when:
    task.ext.when == null || task.ext.when

    // A task that is run again gets a new folder and begins anew: shards (--shard) keep the loss small.
    script:
    // Pasted as it is: by nf-core's convention ext.args is a piece of a command line, which its user writes.
    def args   = task.ext.args ?: '-m 300'
    // Stands before the user's own: of an option that is given twice, the last one counts.
    def rule   = is_contigs(data) ? '--rule viral-ngs' : ''
    prefix     = task.ext.prefix ?: "${meta.id}"
    def files  = reads instanceof List ? reads : [reads]
    def inputs = files.collect { file -> shell_path(file) }.join(' ')
    def paired = files.size() == 2 ? '--paired' : ''
    def device = task.accelerator ? 'cuda:all' : 'auto'
    def name   = shell_word(prefix)
    def output = shell_path(prefix)
    def folder = shell_path(models)
    """
    virnucpro predict \\
        $paired \\
        $inputs \\
        $rule \\
        $args \\
        --models-dir $folder \\
        --device $device \\
        --threads $task.cpus \\
        --name $name \\
        --no-progress \\
        -o $output

    cat <<-END_VERSIONS > versions.yml
    "${task.process}":
        virnucpro: \$(virnucpro --version | sed 's/virnucpro //')
    END_VERSIONS
    """

    stub:
    prefix      = task.ext.prefix ?: "${meta.id}"
    def output  = shell_path(prefix)
    def merged  = shell_path("${prefix}/${prefix}_merged")
    def contigs = is_contigs(data) ? "$output/contigs.tsv" : ''
    """
    mkdir -p $merged
    touch $output/sequences.tsv $contigs $output/report.html
    touch $output/virnucpro_mqc.json $output/virnucpro_calls_mqc.json $output/virnucpro_scores_mqc.tsv
    touch $merged/prediction_results.txt $merged/prediction_results_highestscore.csv

    cat <<-END_VERSIONS > versions.yml
    "${task.process}":
        virnucpro: \$(virnucpro --version | sed 's/virnucpro //')
    END_VERSIONS
    """
}
