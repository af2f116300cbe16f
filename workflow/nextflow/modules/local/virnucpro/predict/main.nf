// NEVER RUN: this project has no Nextflow. Written in the form of nf-core's modules; read it before you use it.
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

    output:
    tuple val(meta), path("${prefix}/sequences.tsv")                                        , emit: sequences
    tuple val(meta), path("${prefix}/${prefix}_merged/prediction_results.txt")              , emit: frames
    tuple val(meta), path("${prefix}/${prefix}_merged/prediction_results_highestscore.csv") , emit: chunks
    tuple val(meta), path("${prefix}/contigs.tsv")                                          , emit: contigs
    tuple val(meta), path("${prefix}/report.html")                                          , emit: report
    tuple val(meta), path("${prefix}/virnucpro_mqc.json")                                   , emit: multiqc
    tuple val(meta), path("${prefix}/virnucpro_calls_mqc.json")                             , emit: multiqc_calls
    tuple val(meta), path("${prefix}/virnucpro_scores_mqc.tsv")                             , emit: multiqc_scores
    path "versions.yml"                                                                     , emit: versions

    when:
    task.ext.when == null || task.ext.when

    // A task that is run again gets a new folder and begins anew: shards (--shard) keep the loss small.
    script:
    def args   = task.ext.args ?: '-m 300'
    prefix     = task.ext.prefix ?: "${meta.id}"
    def paired = reads instanceof List && reads.size() == 2 ? '--paired' : ''
    def device = task.accelerator ? 'cuda:all' : 'auto'
    """
    virnucpro predict \\
        $paired \\
        $reads \\
        $args \\
        --models-dir $models \\
        --device $device \\
        --threads $task.cpus \\
        --rollup viral-ngs \\
        --name $prefix \\
        --no-progress \\
        -o $prefix

    cat <<-END_VERSIONS > versions.yml
    "${task.process}":
        virnucpro: \$(virnucpro --version | sed 's/virnucpro //')
    END_VERSIONS
    """

    stub:
    prefix = task.ext.prefix ?: "${meta.id}"
    """
    mkdir -p $prefix/${prefix}_merged
    touch $prefix/sequences.tsv $prefix/contigs.tsv $prefix/report.html
    touch $prefix/virnucpro_mqc.json $prefix/virnucpro_calls_mqc.json $prefix/virnucpro_scores_mqc.tsv
    touch $prefix/${prefix}_merged/prediction_results.txt
    touch $prefix/${prefix}_merged/prediction_results_highestscore.csv

    cat <<-END_VERSIONS > versions.yml
    "${task.process}":
        virnucpro: \$(virnucpro --version | sed 's/virnucpro //')
    END_VERSIONS
    """
}
